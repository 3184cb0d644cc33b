-- What the keys that seal clients' state are derived from; the role of serving alone may ask.
select memory.sealing_secret() as secret
