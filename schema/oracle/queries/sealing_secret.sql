-- What the keys that seal clients' state are derived from; the login of serving alone may ask.
-- binds: none
SELECT mem_sec.sealing_secret AS secret FROM DUAL
