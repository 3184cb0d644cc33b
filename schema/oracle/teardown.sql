-- Takes everything away, for good: tables with all tenants' rows, models, context, the four users. By a DBA, with the
-- server stopped. A table with a flashback archive lets go of it first (ALTER TABLE … NO FLASHBACK ARCHIVE).
DROP USER IF EXISTS mem_app CASCADE
/
DROP USER IF EXISTS mem_operator CASCADE
/
DROP CONTEXT memory_ctx
/
-- Of models.sql, where it was run.
DROP DIRECTORY IF EXISTS mem_models
/
DROP USER IF EXISTS mem_owner CASCADE
/
DROP USER IF EXISTS mem_sec CASCADE
/
