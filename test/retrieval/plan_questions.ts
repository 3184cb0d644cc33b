// Labelled questions for the plan (design Q1): what each wants, whom it names and which days it means, written by hand.

import type { NamedSubject } from '../../src/retrieval/plan.ts';
import type { Intent } from '../../src/model/plan.ts';
import { intents } from '../../src/model/plan.ts';

/** One labelled question. Days are ISO dates, the second one exclusive; null is an open end. */
export interface PlanQuestion {
  readonly language: string;
  readonly question: string;
  readonly intent: Intent;
  readonly subjects: readonly string[];
  readonly days: readonly [from: string | null, until: string | null] | null;
}

/** Monday: what "now" is for every question. */
export const askedAt = '2026-09-28T12:00:00Z';

/** Subjects in scope, by the short names that the labels use. */
export const knownSubjects: Readonly<Record<string, NamedSubject>> = {
  helios: { subject: 'model:helios-rag', names: ['model:helios-rag', 'Helios-RAG', 'Helios'] },
  meridian: { subject: 'model:meridian-hybrid', names: ['model:meridian-hybrid', 'Meridian'] },
  stripe: { subject: 'vendor:stripe', names: ['vendor:stripe'] },
  adyen: { subject: 'vendor:adyen', names: ['vendor:adyen'] },
  billing: { subject: 'service:billing', names: ['service:billing', 'billing service', 'billing API'] },
  gateway: { subject: 'service:gateway', names: ['service:gateway', 'API gateway'] },
  priya: { subject: 'person:priya-nair', names: ['person:priya-nair', 'Priya'] },
  orders: { subject: 'table:orders', names: ['table:orders', 'orders table'] },
  refunds: { subject: 'policy:refunds', names: ['policy:refunds', 'refund policy', 'Rückgaberegel'] },
};

const lines = `
en | comparison | helios meridian | | How does Helios-RAG compare with Meridian on support tickets?
en | comparison | stripe adyen | | Stripe or Adyen for recurring payments?
en | comparison | | | What is the difference between a summary and a compression?
en | comparison | | | Which is cheaper, keeping raw turns or summaries?
en | comparison | helios meridian | | Is Helios better than Meridian at exact codes?
en | comparison | | | Postgres versus Oracle for row history
en | comparison | | | What are the pros and cons of scaled sums against reciprocal rank?
en | comparison | | | Contrast eager and lazy compaction.
en | comparison | billing gateway | | Which of the billing service and the API gateway fails more often?
en | comparison | | | Do exact search and sign bits differ in recall?
en | comparison | | 2026-03-01 2026-05-01 | Compare the error rates of March and April.
en | comparison | | | Should we use a queue or a cron job for retries?
en | comparison | | | How do the two retention policies differ?
en | comparison | | | What are the trade-offs between large and small chunks?
en | comparison | | | Is a larger overlap worse than none?
en | comparison | stripe adyen | | What does Stripe do differently from Adyen with disputes?
en | comparison | | | Advantages of streaming over polling?
en | comparison | | | Which performs better on long documents, windows or paragraphs?
en | comparison | helios | 2026-01-01 2027-01-01 | How does Helios of this year compare to the one before?
en | comparison | | | In what way is the archive different from recall storage?
en | comparison | | | Rank the three vendors by price.
en | comparison | | | Are tokens or characters the more reliable unit?
en | comparison | refunds | 2026-04-01 2026-07-01 | Were refunds higher than chargebacks in Q2?
en | comparison | | | What sets bitemporal tables apart from plain history tables?
en | comparison | priya | | Does Priya's plan cost less than the old one?
en | comparison | | | latency before vs after the cache
en | fact_check | helios | | Is Helios-RAG still the best model for retrieval?
en | fact_check | refunds | | Is it true that the refund policy allows 60 days?
en | fact_check | | | How many days are raw events kept?
en | fact_check | stripe | | What is Stripe's retry limit?
en | fact_check | gateway | | Which port does the API gateway listen on?
en | fact_check | | | Does deleting a thread also delete its summaries?
en | fact_check | priya | | Who does Priya report to?
en | fact_check | | | When does the certificate expire?
en | fact_check | orders | | How large is the orders table?
en | fact_check | | | Please confirm that the threshold is 0.8.
en | fact_check | | | What does error ORA-01555 mean?
en | fact_check | | | Are prompts cached by default?
en | fact_check | billing | | Where does the billing service run?
en | fact_check | | | Is 250 still the approval limit?
en | fact_check | | | What is the maximum upload size?
en | fact_check | | | I read that the fee is 2.9%, is that right?
en | fact_check | | | How long does a session token live?
en | fact_check | helios | | What score does Helios have on BEIR?
en | fact_check | | | Can a viewer export the audit log?
en | fact_check | | | Has the quota been raised?
en | fact_check | | | Whose key signs the backups?
en | fact_check | | | The docs say the default is 90 days. Correct?
en | fact_check | | | What time does the nightly job start?
en | fact_check | | | How often are keys rotated?
en | fact_check | | | How much memory does the worker need?
en | fact_check | | | Which version of the driver is supported?
en | fact_check | | | Do summaries count against the budget?
en | fact_check | meridian | | Did Meridian win the last evaluation?
en | fact_check | | | What percentage of tickets had a code?
en | fact_check | | | Name the owner of the replication job.
en | fact_check | | 2026-08-01 2026-09-01 | How many incidents were there last month?
en | fact_check | | 2026-09-27 2026-09-28 | Was the backup restored yesterday?
en | fact_check | | 2026-03-01 | Has the price changed since March?
en | fact_check | stripe | 2025-01-01 2026-01-01 | What fee did Stripe charge in 2025?
en | fact_check | | 2026-07-01 2026-08-01 | How many deployments failed in July?
en | fact_check | | 2026-03-16 2026-03-17 | What changed on 16 March 2026?
en | fact_check | | .. 2026-05-01 | What was the limit before May 2026?
en | fact_check | | | Verify the checksum algorithm of the exports.
en | fact_check | | | Isn't the default region Frankfurt?
en | fact_check | | | What's the current on-call number?
en | fact_check | | | Does anybody else have write access?
en | fact_check | | | At what size does exact search stop?
en | fact_check | | | Which error code comes with a closed store?
en | fact_check | | | how high is the rate limit for free accounts
en | how_to | | | How do I rotate the API keys?
en | how_to | | | How can I restore a backup to a new machine?
en | how_to | | | What are the steps to fail over to the replica?
en | how_to | | | Walk me through an erasure request.
en | how_to | gateway | | How to restart the API gateway safely?
en | how_to | | | What should I do when the disk is full?
en | how_to | | | Show me how to add a guideline.
en | how_to | | | Which command do I run to import documents?
en | how_to | | | Procedure for a lost encryption key
en | how_to | | | How should we label a new corpus?
en | how_to | | | Steps for onboarding a tenant
en | how_to | | | How would one replay an old window?
en | how_to | | | Give me instructions for exporting a tenant.
en | how_to | | | How do you set a retention period?
en | how_to | billing | | What do I need to do to deploy the billing service?
en | how_to | | | Is there a runbook for replication lag?
en | how_to | | | Explain step by step how compaction is switched on.
en | how_to | | | What's the right way to delete a user?
en | how_to | | | How does one measure recall?
en | how_to | | | Can you guide me through the migration?
en | how_to | | | I need to change the embedding model. How?
en | how_to | | | Checklist for a release
en | how_to | | | How must a developer sign a request?
en | how_to | | | What's the best way to test isolation?
en | how_to | | | How can a tool be denied to one role?
en | how_to | | | Help me set up single sign-on.
en | how_to | | | how do i debug a slow query
en | how_to | | | Where do I change the budget?
en | recall | | | What did we decide about retries?
en | recall | | 2026-09-21 2026-09-28 | What did we discuss last week?
en | recall | | | Do you remember which index I chose?
en | recall | | | Remind me what you suggested about caching.
en | recall | priya | | What did I tell you about Priya?
en | recall | | | Have we talked about shards before?
en | recall | | 2026-09-07 2026-09-14 | What was our conclusion three weeks ago?
en | recall | | | In our last conversation you named a paper. Which one?
en | recall | | | Did I ever mention my time zone?
en | recall | stripe | 2026-08-01 2026-09-01 | What had we agreed on with Stripe last month?
en | recall | | | You recommended a library earlier, what was it called?
en | recall | | | Where did we leave off?
en | recall | | | What have I asked you so far?
en | recall | | | Why did we drop the second replica?
en | recall | | | Which option did you prefer?
en | recall | | | Can you recall the name of my manager?
en | recall | | 2026-09-27 2026-09-28 | What were we working on yesterday?
en | recall | | | What was the outcome of our meeting about budgets?
en | recall | | | I told you my birthday once. When is it?
en | recall | | | Last time we spoke you had an idea for naming.
en | recall | helios | | When did we switch to Helios?
en | recall | | | Summarise our earlier discussion of isolation.
en | recall | | | What do you know about my preferences?
en | recall | | 2026-09-22 2026-09-23 | What did you promise me last Tuesday?
en | recall | | | How did we fix the timeout back then?
en | recall | | 2026-09-28 2026-09-29 | What was the first thing I asked today? Do you remember?
en | recall | | | Pick up where we stopped.
en | recall | | 2026-06-01 2026-07-01 | What did I say about holidays in June?
en | open | | | Tell me about agent memory.
en | open | helios | | Give me an overview of Helios.
en | open | | | Summarise the compaction study.
en | open | | | Why do identifiers get lost in summaries?
en | open | | | Explain the architecture of tiered memory.
en | open | billing | | Describe the billing service.
en | open | | | Write a short introduction to provenance.
en | open | | | prompt caching
en | open | | | Ideas for a better onboarding
en | open | | | What are the risks of shared memory?
en | open | | | Draft a reply to the customer.
en | open | | | Background on bitemporal data
en | open | | | Why does length hurt accuracy?
en | open | | | Tell me more.
en | open | | | Explain why replicas lag.
en | open | | | List topics related to quarantine.
en | open | | | Thanks, that helps!
en | open | | | Introduce the team's research areas.
en | open | | | An essay on forgetting
en | open | meridian | | Meridian and its history
en | open | | | What causes cache misses?
en | open | | 2026-01-01 2027-01-01 | An outlook on memory systems for this year
en | open | | | Elaborate on the second point.
en | open | | | How does late interaction work?
en | comparison | |  | Does the new cache beat the old one on cold starts?
en | comparison | |  | Which vendor is more expensive, A or B?
en | comparison | |  | Similarities and differences of the two audits
en | comparison | |  | How much slower is the replica than the primary?
en | comparison | |  | Weigh self-hosting against a managed database.
en | comparison | |  | Kafka vs. NATS for events
en | fact_check | |  | What is the SLA for severity one?
en | fact_check | |  | When was the tenant created?
en | fact_check | |  | Is there a limit on attachments?
en | fact_check | |  | Who approved the last release?
en | fact_check | |  | How many seats do we have left?
en | fact_check | |  | Does the importer accept CSV?
en | fact_check | |  | Is the staging cluster encrypted?
en | fact_check | |  | What port does Redis use here?
en | fact_check | |  | The invoice says 30 days net, is this right?
en | fact_check | |  | Which regions are supported?
en | how_to | |  | How do I cancel a running job?
en | how_to | |  | How can admins reset a password?
en | how_to | |  | What is the procedure for a leaked token?
en | how_to | |  | Steps to reproduce the crash
en | how_to | |  | How would I test this locally?
en | how_to | |  | Tell me how to enable tracing.
en | how_to | |  | What's needed to add a new region?
en | recall | |  | What did you say about the queue length?
en | recall | |  | Did we settle on a name?
en | recall | | 2026-09-21 2026-09-22 | What was it that I asked for on Monday?
en | recall | | 2026-09-27 2026-09-28 | Go back to the plan we made yesterday.
en | recall | |  | Which bug were you looking into?
en | recall | |  | As I mentioned before, what's my deadline?
en | open | |  | Give me some background on vector search.
en | open | |  | Explain what a manifest is for.
en | open | |  | Why is forgetting useful?
en | open | |  | Write a summary of the quarterly report.
en | open | |  | What's interesting about this dataset?
en | open | |  | How does replication work?
en | open | |  | Discuss the ethics of memory.
de | comparison | helios meridian | | Was ist der Unterschied zwischen Helios und Meridian?
de | comparison | stripe adyen | | Ist Stripe günstiger als Adyen?
de | fact_check | refunds | | Stimmt es, dass die Rückgaberegel 60 Tage erlaubt?
de | fact_check | | | Wie viele Tage werden Rohdaten aufbewahrt?
de | fact_check | | 2026-09-27 2026-09-28 | Wurde die Sicherung gestern geprüft?
de | how_to | | | Wie kann ich eine Sicherung zurückspielen?
de | how_to | | | Welche Schritte braucht ein Failover?
de | recall | | 2026-09-21 2026-09-28 | Was haben wir letzte Woche besprochen?
de | recall | | | Erinnerst du dich, welchen Index ich wollte?
de | open | helios | | Erzähl mir etwas über Helios.
fr | comparison | | | Quelle est la différence entre un résumé et une compression ?
fr | comparison | helios meridian | | Compare Helios et Meridian.
fr | fact_check | | | Combien de jours gardons-nous les événements ?
fr | fact_check | | | Est-ce vrai que le seuil est de 250 ?
fr | fact_check | | 2026-08-01 2026-09-01 | Quel était le taux d'erreur le mois dernier ?
fr | how_to | | | Comment puis-je restaurer une sauvegarde ?
fr | how_to | | | Quelles sont les étapes pour renouveler les clés ?
fr | recall | | | Qu'avons-nous décidé la dernière fois ?
fr | recall | | | Tu te souviens de mon fuseau horaire ?
fr | open | | | Parle-moi de la mémoire des agents.
es | comparison | stripe adyen | | ¿Qué diferencias hay entre Stripe y Adyen?
es | comparison | | | ¿Es mejor que el índice anterior?
es | fact_check | | | ¿Cuántos días se guardan los eventos?
es | fact_check | helios | | ¿Helios sigue siendo el mejor modelo?
es | fact_check | | 2025-01-01 2026-01-01 | ¿Cuál era el límite el año pasado?
es | how_to | | | ¿Cómo puedo restaurar una copia?
es | how_to | | | Pasos para rotar las claves
es | recall | | 2026-09-21 2026-09-28 | ¿Qué decidimos la semana pasada?
es | recall | | | ¿Recuerdas qué te dije de los informes?
es | open | | | Háblame de la memoria de los agentes.
ja | comparison | helios meridian | | HeliosとMeridianの違いは何ですか
ja | comparison | | | どちらのインデックスが速いですか
ja | fact_check | | | イベントは何日保存されますか
ja | fact_check | helios | | Heliosは今でも最高ですか
ja | fact_check | | 2025-01-01 2026-01-01 | 昨年の上限はいくつでしたか
ja | how_to | | | バックアップを復元する方法
ja | how_to | | | 鍵を更新するにはどうすればいいですか
ja | recall | | 2026-09-21 2026-09-28 | 先週何を話しましたか
ja | recall | | | 前回決めたことを覚えていますか
ja | open | | | エージェントの記憶について教えてください
`;

/** Written after the rules, and no rule was changed for them: how well the rules read what they were not made for. */
const unseenLines = `
en | comparison | | | Is pgvector more accurate than a plain scan?
en | comparison | | | How does our churn stack up against the industry?
en | comparison | | | Between the two proposals, which costs less?
en | comparison | | | What changed between version 3 and version 4?
en | comparison | | | Is it cheaper to store vectors or to recompute them?
en | comparison | | | Compare both encoders.
en | fact_check | | | Who maintains the parser?
en | fact_check | | | How old is the oldest event?
en | fact_check | | | Which table stores the aliases?
en | fact_check | | | Is deletion immediate?
en | fact_check | | | What is the license of the model?
en | fact_check | | | When did version 2 come out?
en | fact_check | | | Are summaries encrypted at rest?
en | fact_check | | | What was the revenue in 2024?
en | fact_check | | | How far back does the history go?
en | fact_check | | | Does it support Windows?
en | how_to | | | How do I see what a window contained?
en | how_to | | | How to move a tenant to another server
en | how_to | | | What are the steps for a clean shutdown?
en | how_to | | | How should secrets be stored?
en | how_to | | | Walk me through the setup.
en | how_to | | | How could we cut the token bill?
en | how_to | | | Please show me how tools are listed.
en | recall | | | What did we conclude about the outage?
en | recall | | | You told me about a workaround, what was it?
en | recall | | | Have I shared my address with you?
en | recall | | | What was I asking about earlier today?
en | recall | | | Remind me of my open tasks.
en | recall | | | Which date did we agree on?
en | open | | | Tell me something about embeddings.
en | open | | | What is a bitemporal table?
en | open | | | Summarize the runbook.
en | open | | | Why are some memories quarantined?
en | open | | | Explain the budget.
en | open | | | Suggest topics for the next offsite.
en | open | | | How does consolidation influence quality?
`;

/** Every labelled question that the rules were written with. */
export const planQuestions: readonly PlanQuestion[] = questionsOf(lines);

/** Labelled questions of which only the intent counts, unseen by the rules. */
export const unseenQuestions: readonly PlanQuestion[] = questionsOf(unseenLines);

function questionsOf(text: string): readonly PlanQuestion[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [language = '', intent = '', subjects = '', days = '', question = '', extra] = line
        .split('|')
        .map((part) => part.trim());
      const named = intents.find((known) => known === intent);
      if (named === undefined || question === '' || extra !== undefined) throw new Error(`unreadable label: ${line}`);
      return {
        language,
        question,
        intent: named,
        subjects: subjects.split(' ').filter((name) => name !== ''),
        days: daysOf(days),
      };
    });
}

/** `2026-03-01 2026-04-01`; one day alone is an open end, `.. day` an open start. */
function daysOf(text: string): PlanQuestion['days'] {
  if (text === '') return null;
  const [from = '', until = ''] = text.split(' ');
  return [from === '..' ? null : from, until === '' ? null : until];
}
