// What the public conformance suite is expected to say: for each revision the scenarios that cannot pass, with the reason.

/** Revisions whose requirements are run. */
export const revisions = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];

/** A server that the suite is run against. */
export interface Profile {
  readonly name: string;
  /** Scenarios that cannot pass, by what stands in their way. All others have to. */
  readonly cannot: Readonly<Record<Revision, Readonly<Record<string, readonly string[]>>>>;
}

const noTasks = 'tasks are an extension of the protocol that this server does not have; not scored';
const selfContained =
  'it wants a tool whose schema names $schema and $ref; rows with such schemas are refused, since hosts drop them; not scored';
const noHeaders =
  'it wants an argument mirrored in a header; no row may say so, since schemas hold known words alone; not scored';
const tasks = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

/** The product's server with the suite's fixtures in front. */
export const fixtureProfile: Profile = {
  name: 'with fixtures',
  cannot: {
    '2025-11-25': { [selfContained]: ['json-schema-2020-12'] },
    '2026-07-28': {
      [noTasks]: tasks,
      [selfContained]: ['json-schema-2020-12'],
      [noHeaders]: ['http-custom-header-server-validation'],
    },
  },
};

const noTool = "it calls a tool of the suite, and tools are the tenant's rows";
const noResource = 'it reads a resource of the suite; this server has memory:// alone';
const noPrompt = 'it asks for a prompt of the suite; this server has context_window alone';
const noLogging = 'the server sends no log to clients, so it does not say that it could';
const noUpdates = 'no resource is updated under its address, so there is nothing to subscribe to';

const contentTools = [
  'simple-text',
  'image',
  'audio',
  'embedded-resource',
  'mixed-content',
  'error',
  'with-progress',
].map((kind) => `tools-call-${kind}`);
const resourceReads = ['resources-read-text', 'resources-read-binary', 'resources-templates-read'];
const promptGets = ['simple', 'with-args', 'embedded-resource', 'with-image'].map((kind) => `prompts-get-${kind}`);

/** The command `http` as it is, on a tenant with the default profile. */
export const productProfile: Profile = {
  name: 'as it is',
  cannot: {
    '2025-11-25': {
      [noTool]: [
        ...contentTools,
        'tools-call-with-logging',
        'tools-call-sampling',
        'tools-call-elicitation',
        'elicitation-sep1034-defaults',
        'elicitation-sep1330-enums',
        'json-schema-2020-12',
      ],
      [noResource]: resourceReads,
      [noPrompt]: [...promptGets, 'completion-complete'],
      [noLogging]: ['logging-set-level'],
      [noUpdates]: ['resources-subscribe', 'resources-unsubscribe'],
    },
    '2026-07-28': {
      [noTool]: [
        ...contentTools,
        'server-stateless',
        ...[
          'basic-elicitation',
          'basic-sampling',
          'basic-list-roots',
          'request-state',
          'multiple-input-requests',
          'multi-round',
          'result-type',
          'tampered-state',
          'capability-check',
        ].map((kind) => `input-required-result-${kind}`),
        'json-schema-2020-12',
      ],
      [noResource]: resourceReads,
      [noPrompt]: [...promptGets, 'completion-complete', 'input-required-result-non-tool-request'],
      [noHeaders]: ['http-custom-header-server-validation'],
      [noTasks]: tasks,
    },
  },
};
