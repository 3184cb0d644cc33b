// Parses every script and statement for Oracle and records those that the grammar accepts: `npx tsx scripts/parse_oracle.ts`,
// with `--all` also those that are recorded already. It takes some minutes.
import { writeFileSync } from 'node:fs';
import { parsedHash, parseErrors, readRecord, recordPath } from '../test/oracle/grammar.ts';
import { everyStatement, unparsed } from '../test/oracle/statements.ts';

const record = process.argv.includes('--all') ? new Set<string>() : readRecord();
const accepted = new Set<string>();
for (const [name, sql] of everyStatement()) {
  if (unparsed[name] !== undefined) continue;
  const hash = parsedHash(sql);
  const errors = record.has(hash) ? [] : await parseErrors(sql);
  if (errors.length === 0) accepted.add(hash);
  else {
    console.error(`${name}: ${errors.slice(0, 3).join('; ')}`);
    process.exitCode = 1;
  }
}
writeFileSync(recordPath, `${JSON.stringify([...accepted].toSorted(), null, 1)}\n`);
console.log(`${accepted.size} texts are recorded.`);
