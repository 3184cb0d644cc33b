// How a script of schema/oracle is cut into statements: each ends with a line that holds only a slash, as for SQLcl.

/** The statements of a script in order, without their slashes. Comments stay with the statement that they precede. */
export function scriptStatements(script: string): readonly string[] {
  return script
    .split(/^\/[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^\s*--.*$/gm, '').trim() !== '');
}
