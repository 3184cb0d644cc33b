-- Erases a target with all that came of it; dry_run: only counts.
-- binds: target json, dry_run flag
DECLARE
  v_report JSON;
BEGIN
  v_report := mem_owner.erasure.erase(:target, :dry_run = 1);
  SELECT JSON_ARRAY(JSON_OBJECT('report' VALUE v_report RETURNING JSON) RETURNING JSON) INTO :result FROM DUAL;
END;
