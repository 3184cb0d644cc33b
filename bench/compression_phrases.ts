// Phrases of the generated conversations of bench/compression.ts, as data: what is planted, how it changes, and chatter.
// Each kind has two banks. The first was looked at while the summariser was written, the second only to measure it.

/** How one kind of thing is said, asked for and changed. `{s}` is what it is about, `{v}` its value. */
export interface Phrases {
  readonly language: string;
  readonly values: 'amount' | 'identifier' | 'date' | 'limit';
  readonly subjects: readonly string[];
  readonly question: string;
  readonly statements: Banks;
  readonly updates: Banks;
  /** Changes that do not repeat what they are about; said right after it. */
  readonly corrections: Banks;
  /** Later words about the old value that change nothing. */
  readonly memories: Banks;
}

/** A rule without a value, as it is first said, and for some how it is later changed. */
export interface Rule {
  readonly text: string;
  readonly needles: readonly string[];
  readonly question: string;
  readonly change?: { readonly text: string; readonly needles: readonly string[] };
}

/** Looked at, and held out. */
type Banks = readonly [known: readonly string[], heldOut: readonly string[]];

/** What has a value. */
export const phrases: readonly Phrases[] = [
  {
    language: 'en',
    values: 'amount',
    subjects: [
      'Lisbon workshop',
      'booth at the fair',
      'new load balancer',
      'translation work',
      'office chairs',
      'security audit',
      'summer party',
      'pilot in Graz',
    ],
    question: 'What may we spend on the {s}?',
    statements: [
      [
        'The budget for the {s} is {v}.',
        'We can spend {v} on the {s}, not more.',
        'Finance signed off {v} for the {s}.',
      ],
      ['For the {s} I was given {v}.', 'They capped the {s} at {v}.', 'Put {v} down for the {s} in the plan.'],
    ],
    updates: [
      ['The budget for the {s} is now {v}.', 'Update: the {s} gets {v} instead.', 'Finance changed the {s} to {v}.'],
      [
        'They came back to me about the {s}: it is {v} after all.',
        'The {s} was cut, we have {v} for it from today.',
        'New figure for the {s}: {v}.',
      ],
    ],
    corrections: [
      ['Sorry, make that {v}.', 'No, it is {v}, I misread the mail.'],
      ['Scratch that, I meant {v}.', 'Correction from my side, {v}.'],
    ],
    memories: [
      ['Funny that the {s} started out at {v}.', 'Last year we would have called {v} for the {s} generous.'],
      ['I still have the old sheet where the {s} stands with {v}.', 'Remember when the {s} was planned with {v}?'],
    ],
  },
  {
    language: 'en',
    values: 'identifier',
    subjects: [
      'staging cluster',
      'contract with Kramer',
      'refund case',
      'release branch',
      'badge printer',
      'backup bucket',
      'payment sandbox',
      'shipping label template',
    ],
    question: 'Which id belongs to the {s}?',
    statements: [
      ['The {s} is {v}.', 'Please use {v} for the {s}.', 'I filed the {s} under {v}.'],
      [
        'You will find the {s} as {v}.',
        '{v} is what they call the {s} internally.',
        'Anything about the {s} goes to {v}.',
      ],
    ],
    updates: [
      [
        'We no longer use the old one, the {s} is now {v}.',
        'The {s} was moved to {v}.',
        'From now on use {v} for the {s}.',
      ],
      [
        'The {s} got a new id this morning, {v}.',
        'They replaced the {s}; it goes by {v} these days.',
        'Heads up, {v} has taken over as the {s}.',
      ],
    ],
    corrections: [
      ['Wait, I pasted the wrong one: {v}.', 'Sorry, {v} is the right one.'],
      ['Oops, wrong tab. {v} it is.', 'Take {v} instead, that was a typo.'],
    ],
    memories: [
      ['The {s} used to be {v}, by the way.', 'Some wiki pages still name {v} as the {s}.'],
      ['Back then the {s} had the name {v}.', 'An old ticket mentions {v} for the {s}, ignore it.'],
    ],
  },
  {
    language: 'en',
    values: 'date',
    subjects: [
      'code freeze',
      'handover to support',
      'visit of the auditors',
      'renewal of the certificate',
      'board meeting',
      'beta launch',
    ],
    question: 'When is the {s}?',
    statements: [
      ['The {s} is on {v}.', 'We agreed on {v} for the {s}.', 'Deadline for the {s}: {v}.'],
      ['{v} is when the {s} takes place.', 'Mark {v} for the {s}, please.', 'Our plan has the {s} on {v}.'],
    ],
    updates: [
      ['The {s} was moved to {v}.', 'The {s} is now on {v}.', 'They postponed the {s} to {v}.'],
      [
        'The {s} slipped, it will be {v}.',
        'The {s} got pulled forward to {v}.',
        'Please re-plan, the {s} happens on {v}.',
      ],
    ],
    corrections: [
      ['No, {v}, I looked at the wrong week.', 'Sorry, {v}.'],
      ['Hm, the calendar says {v}. So {v}.', 'I take that back, {v}.'],
    ],
    memories: [
      ['The {s} had originally been planned for {v}.', 'On {v} we would have had the {s} in the first plan.'],
      ['In the first draft the {s} stood at {v}.', 'Someone still believed the {s} was on {v}.'],
    ],
  },
  {
    language: 'en',
    values: 'limit',
    subjects: [
      'upload size',
      'session timeout',
      'retry count',
      'batch size',
      'cache lifetime',
      'queue length',
      'page size',
      'log retention',
    ],
    question: 'What is the limit for the {s}?',
    statements: [
      ['The {s} must not exceed {v}.', 'Keep the {s} at {v} at most.', 'We set the {s} to {v}.'],
      ['{v} is the ceiling for the {s}.', 'No {s} above {v}, please.', 'Our agreed {s}: {v}.'],
    ],
    updates: [
      ['The {s} must not exceed {v} any more.', 'We raised the {s} to {v}.', 'Change the {s} to {v}.'],
      [
        'After the load test the {s} went to {v}.',
        'Ops settled on {v} for the {s} today.',
        'We ended up with {v} as {s}.',
      ],
    ],
    corrections: [
      ['Actually, let us say {v}.', 'No, {v}.'],
      ['Hm, better {v}.', 'On second thought {v}.'],
    ],
    memories: [
      ['With {v} the {s} was far too tight back then.', 'The {s} was {v} before.'],
      ['We ran for a year on a {s} of {v}.', 'Nobody misses the days of {v} as {s}.'],
    ],
  },
  {
    language: 'de',
    values: 'amount',
    subjects: ['Messestand', 'Umzug ins Lager', 'Werbefilm', 'Dachsanierung', 'Schulung in Köln', 'Lieferwagen'],
    question: 'Wie hoch ist das Budget für {s}?',
    statements: [
      ['Das Budget für {s} beträgt {v}.', 'Für {s} dürfen wir höchstens {v} ausgeben.'],
      ['Bei {s} ist bei {v} Schluss.', 'Die Chefin hat {v} für {s} freigegeben.'],
    ],
    updates: [
      ['Das Budget für {s} beträgt jetzt {v}.', 'Neu: {s} wurde auf {v} geändert.'],
      ['Bei {s} bleibt es doch nicht dabei, wir haben {v}.', '{s} läuft ab heute mit {v}.'],
    ],
    corrections: [['Nein, {v}, ich hatte mich verlesen.'], ['Moment, es sind {v}.']],
    memories: [['Früher standen für {s} noch {v} im Plan.'], ['Im alten Angebot waren es {v} für {s}.']],
  },
  {
    language: 'de',
    values: 'date',
    subjects: ['Abnahme', 'Betriebsferien', 'Inventur', 'Umstellung der Telefone', 'Gesellschafterversammlung'],
    question: 'Wann ist die {s}?',
    statements: [
      ['Die {s} ist am {v}.', 'Termin für die {s}: {v}.'],
      ['Am {v} steht die {s} an.', 'Wir haben die {s} auf {v} gelegt.'],
    ],
    updates: [
      ['Die {s} wurde auf {v} verschoben.', 'Die {s} ist jetzt am {v}.'],
      ['Die {s} rutscht, sie findet am {v} statt.', 'Für die {s} gilt ein neuer Tag: {v}.'],
    ],
    corrections: [['Falsch, {v}.'], ['Ich korrigiere: {v}.']],
    memories: [['Ursprünglich war die {s} für {v} geplant.'], ['Jemand dachte noch, die {s} wäre am {v}.']],
  },
  {
    language: 'fr',
    values: 'amount',
    subjects: ['stand de Lyon', 'refonte du site', 'formation sécurité', 'fête de fin d’année'],
    question: 'Quel est le budget pour « {s} » ?',
    statements: [
      ['Le budget pour « {s} » est de {v}.', 'Pour « {s} », pas plus de {v}.'],
      ['On nous accorde {v} pour « {s} ».', 'Il faut rester sous {v} pour « {s} ».'],
    ],
    updates: [
      ['Le budget pour « {s} » est désormais de {v}.', '« {s} » passe à {v}.'],
      ['Finalement ce sera {v} pour « {s} ».', 'Nouveau montant pour « {s} » : {v}.'],
    ],
    corrections: [['Non, pardon, {v}.'], ['Je me suis trompé, {v}.']],
    memories: [['Avant, « {s} » avait {v}.'], ['Dans l’ancien devis, « {s} » coûtait {v}.']],
  },
  {
    language: 'es',
    values: 'limit',
    subjects: ['tamaño del lote', 'tiempo de espera', 'número de intentos', 'caducidad de la sesión'],
    question: '¿Cuál es el límite para el {s}?',
    statements: [
      ['El {s} no debe superar {v}.', 'Dejamos el {s} en {v} como máximo.'],
      ['{v} es el tope para el {s}.', 'Acordamos {v} de {s}.'],
    ],
    updates: [
      ['El {s} ahora es de {v}.', 'Cambiamos el {s} a {v}.'],
      ['Al final el {s} queda en {v}.', 'Tras las pruebas subimos el {s} hasta {v}.'],
    ],
    corrections: [['Perdón, {v}.'], ['Me equivoqué, son {v}.']],
    memories: [['Antes el {s} era de {v}.'], ['Con {v} de {s} íbamos muy justos el año pasado.']],
  },
  {
    language: 'ja',
    values: 'date',
    subjects: ['納品', '社内研修', '監査', '新製品の発表会'],
    question: '{s}はいつですか？',
    statements: [
      ['{s}の期限は{v}です。', '{s}は{v}に決まりました。'],
      ['{v}に{s}を行う予定です。', '{s}の日は{v}でお願いします。'],
    ],
    updates: [
      ['{s}の期限は{v}に変更になりました。', '{s}は{v}に延期されました。'],
      ['{s}は{v}になりました、前の日程は使いません。', '改めて、{s}は{v}です。'],
    ],
    corrections: [['訂正します、{v}です。'], ['すみません、{v}でした。']],
    memories: [['以前は{s}は{v}の予定でした。'], ['当初の案では{s}が{v}でしたね。']],
  },
];

/** What has no value. */
export const rules: readonly [known: readonly Rule[], heldOut: readonly Rule[]] = [
  [
    {
      text: 'Never deploy on Fridays.',
      needles: ['Never deploy on Fridays'],
      question: 'May we deploy on a Friday?',
      change: {
        text: 'Deploying on Fridays is allowed now, but only before noon.',
        needles: ['Deploying on Fridays is allowed now', 'before noon'],
      },
    },
    {
      text: 'Customer names must not appear in log lines.',
      needles: ['names must not appear in log'],
      question: 'What about customer names in log lines?',
    },
    {
      text: 'Only Mira approves refunds.',
      needles: ['Only Mira approves refunds'],
      question: 'Who approves refunds?',
      change: {
        text: 'Mira no longer approves refunds, Tomasz does.',
        needles: ['no longer approves refunds', 'Tomasz'],
      },
    },
    {
      text: 'I am allergic to walnuts, so no walnut cake at the workshop.',
      needles: ['allergic to walnuts'],
      question: 'What can I not eat at the workshop?',
    },
    {
      text: 'We always answer Kramer in writing, never by phone.',
      needles: ['Kramer in writing', 'never by phone'],
      question: 'How do we answer Kramer?',
    },
    {
      text: 'Wir verschicken keine Rechnungen per Fax.',
      needles: ['keine Rechnungen per Fax'],
      question: 'Dürfen Rechnungen per Fax verschickt werden?',
    },
    {
      text: 'Les données ne doivent jamais quitter la France.',
      needles: ['jamais quitter la France'],
      question: 'Où doivent rester les données ?',
    },
    {
      text: '本番環境では直接SQLを実行しないでください。',
      needles: ['直接SQLを実行しないで'],
      question: '本番環境で直接SQLを実行してもいいですか？',
    },
  ],
  [
    {
      text: 'Nobody but the on-call person touches the primary database.',
      needles: ['Nobody but the on-call person touches the primary'],
      question: 'Who touches the primary database?',
      change: {
        text: 'Besides the on-call person, the platform team may also touch the primary database from today.',
        needles: ['platform team may also touch the primary'],
      },
    },
    {
      text: 'Please keep the word "cheap" out of all texts for Aurelia.',
      needles: ['"cheap" out of all texts'],
      question: 'Which word must stay out of texts for Aurelia?',
    },
    {
      text: 'The Oslo team does the reviews for the mobile app.',
      needles: ['Oslo team does the reviews'],
      question: 'Which team does the reviews for the mobile app?',
      change: {
        text: 'Reviews for the mobile app go to the Porto team instead of Oslo.',
        needles: ['go to the Porto team'],
      },
    },
    {
      text: 'I cannot do meetings before ten.',
      needles: ['cannot do meetings before ten'],
      question: 'When can I not do meetings?',
    },
    {
      text: 'Screenshots go into tickets without any personal data.',
      needles: ['without any personal data'],
      question: 'What must screenshots in tickets be free of?',
    },
    {
      text: 'Ohne zweite Unterschrift geht kein Vertrag raus.',
      needles: ['Ohne zweite Unterschrift'],
      question: 'Was braucht ein Vertrag, bevor er rausgeht?',
    },
    {
      text: 'Nadie instala programas sin permiso de Lucía.',
      needles: ['sin permiso de Lucía'],
      question: '¿Quién da permiso para instalar programas?',
    },
    {
      text: '顧客への返信は必ず二人で確認すること。',
      needles: ['必ず二人で確認'],
      question: '顧客への返信は誰が確認しますか？',
    },
  ],
];

/** Guidelines that an operator pins; they are no part of the conversation. */
export const pinnedRules: readonly string[] = [
  'Never send a quote above 25,000 EUR without approval code APR-77.',
  'Invoices are due within 14 days.',
  'The support line is +43 1 555 01 90.',
  'Use the account ACC-00917-X for test bookings only.',
  'Do not mention Project Larkspur to customers.',
  'Refunds over 300 EUR need a second person.',
  'Retention of call recordings: 90 days.',
  'All dates to customers are written like 14 May 2026.',
  'The sandbox tenant is sbx-eu-3.',
  'Answer in the language of the question.',
];
