-- One step of retention; dry_run: only counts.
-- binds: most_events number, dry_run flag
DECLARE
  v_report JSON;
BEGIN
  v_report := mem_owner.erasure.retain(:most_events, :dry_run = 1);
  SELECT JSON_ARRAY(JSON_OBJECT('report' VALUE v_report RETURNING JSON) RETURNING JSON) INTO :result FROM DUAL;
END;
