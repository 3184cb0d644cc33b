-- One step of retention of a tenant that is due, whichever. The context is cleared afterwards.
-- binds: every_seconds number, most_events number
DECLARE
  v_report JSON;
BEGIN
  v_report := mem_sec.retention.run_next(:every_seconds, :most_events);
  SELECT JSON_ARRAY(JSON_OBJECT('report' VALUE v_report RETURNING JSON) RETURNING JSON) INTO :result FROM DUAL;
END;
