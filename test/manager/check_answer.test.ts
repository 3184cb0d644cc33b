// The citation check through the manager (design K1): what Jane's window and her calls showed, and nobody else's.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskUser } from '../../src/manager/manager.ts';
import { rowId, type RowId } from '../../src/model/ids.ts';
import { refKey } from '../../src/model/memory.ts';
import { callAs, type Fixture, jane, openFixture, readStory, scopeOf, type Story } from '../fixture.ts';

const nobody: AskUser = async () => ({ outcome: 'unsupported' });
const corrected = 'B331ec01f36';
const july = 'Bb08645346e';

let fixture: Fixture;
let story: Story;
let manifestId: RowId;

beforeAll(async () => {
  fixture = await openFixture();
  story = await readStory();
  const { manifest } = await fixture.manager.assembleWindow(callAs(jane), {
    question: story.question,
    intent: null,
    at: story.evaluationTime,
    model: null,
  });
  manifestId = rowId(manifest.manifest_id);
});

afterAll(async () => {
  await fixture.close();
});

const check = async (answer: string, of = manifestId) =>
  (await fixture.manager.checkAnswer(callAs(jane), { manifestId: of, answer })).report;

const others = [scopeOf({ user: 'sam' }), scopeOf({ tenant: 'globex' }), scopeOf({ agent: 'hr-assistant' })];

describe('an answer to Jane', () => {
  it('[K1] that gives the corrected score is supported', async () => {
    const report = await check(`Helios-RAG scores 0.78 nDCG@10 on BEIR [${corrected}].`);
    expect(report).toMatchObject({ ok: true, counts: { supported: 1, present: 1, absent: 0 } });
  });

  it('[K1,S3] that repeats 0.92 from the July summary is stale, and names the fact that counts', async () => {
    const report = await check(`Helios-RAG scores 0.92 on BEIR [${july}].`);
    expect(report.ok).toBe(false);
    expect(report.sentences[0]?.problems).toMatchObject([{ kind: 'stale', text: '0.92', current: corrected }]);
  });

  it('[K1,S3] that tells 0.92 as what July believed is supported', async () => {
    const report = await check(
      `The July shortlist originally had 0.92 for Helios-RAG [${july}]; the corrected score is 0.78 [${corrected}].`,
    );
    expect(report.sentences.map(({ verdict }) => verdict)).toEqual(['supported']);
  });

  it('[K1] that cites what only a later call showed is checked against that call too', async () => {
    const { manager } = fixture;
    const outcome = await manager.callTool(
      callAs(jane),
      'search_memory',
      { query: story.retentionQuestion, limit: 1 },
      nobody,
    );
    if (outcome.kind !== 'memory' || outcome.manifest === null) throw new Error('no memory came');
    const [found] = outcome.content.memories;
    const answer = `The retention is set by eventExpiryDuration [${found?.id}].`;
    expect((await check(answer)).ok).toBe(true);
    expect((await check(answer, rowId(outcome.manifest.manifest_id))).ok).toBe(true);
    expect((await check(answer.replace('Duration', 'Seconds'))).sentences[0]?.verdict).toBe('unsupported');
  });

  it('[K1] that cites an id of another window names it as absent', async () => {
    const report = await check('Helios-RAG scores 0.78 [B0123456789].');
    expect(report.sentences[0]?.problems).toMatchObject([{ kind: 'absent', text: 'B0123456789' }]);
  });

  it('[K1] that is empty is refused', async () => {
    await expect(check('  ')).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('feedback', () => {
  const answer = `Helios-RAG scores 0.78 on BEIR [${corrected}].`;

  it('[K1,D4] keeps answer, report and verdict, and rests on every manifest and memory that it used', async () => {
    const { manager, store } = fixture;
    const { eventId, report } = await manager.recordFeedback(callAs(jane), { manifestId, answer, verdict: 'accepted' });
    const [stored] = await manager.feedbackOn(callAs(jane), manifestId);
    expect(stored).toMatchObject({ eventId, manifestId, answer, verdict: 'accepted', report });
    const edges = await store.read(jane, { requestId: 'r', evaluationTime: null }, (reader) =>
      reader.provenance([['conversation', eventId, 1]]),
    );
    const own = edges.filter(({ derived }) => derived[1] === eventId).map(({ source }) => refKey(source));
    expect(own).toContain(refKey(['conversation', manifestId, 1]));
    expect(own).toContain(refKey(['entity', rowId('ctxseed_2688f0418960d68379370cf8'), 2]));
  });

  it('[K1,D8] refuses an answer with a credential, and keeps nothing', async () => {
    const { manager } = fixture;
    const before = await manager.feedbackOn(callAs(jane), manifestId);
    const secret = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
    await expect(
      manager.recordFeedback(callAs(jane), { manifestId, answer: `The token is ${secret}.`, verdict: null }),
    ).rejects.toMatchObject({ code: 'secret_refused' });
    expect(await manager.feedbackOn(callAs(jane), manifestId)).toEqual(before);
  });

  it('[K1,N2,I2] does not exist for another user, tenant or agent, and neither does the manifest', async () => {
    const { manager } = fixture;
    await manager.recordFeedback(callAs(jane), { manifestId, answer, verdict: null });
    for (const scope of others) {
      const call = callAs(scope);
      const asked = { manifestId, answer };
      await expect(manager.checkAnswer(call, asked)).rejects.toMatchObject({ code: 'not_found' });
      await expect(manager.recordFeedback(call, { ...asked, verdict: null })).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(manager.feedbackOn(call, manifestId)).rejects.toMatchObject({ code: 'not_found' });
      const seen = await fixture.store.read(scope, { requestId: 'r', evaluationTime: null }, (reader) =>
        reader.feedbackOn(manifestId),
      );
      expect(seen).toEqual([]);
    }
  });
});
