// What is said between the planted things; the generator of compression_thread.ts fills it in.
// `{a|b}` is one of them, `#` a number from 2 to 99: nearly every sentence of a conversation is its own, and many
// hold figures that nobody will ask for.

const things = '{the report|the draft|the second chapter|the slides|the survey|the floor plan|the song|the recipe}';
const places = '{Lyon|Bergen|Padua|Leeds|Graz|Porto|Tartu|Cork}';
const people = '{my sister|our neighbour|the plumber|a colleague|the teacher|my uncle|the guide}';
const topics = '{bees|old maps|tide tables|sourdough|bridges|violins|glaciers|typewriters|owls|sailing}';

/** Chatter of users. */
export const userChatter: readonly string[] = [
  `Good {morning|afternoon|evening} from ${places}!`,
  `Thanks, ${things} {helps|reads well|looks better now}.`,
  `I slept until {half past nine|ten|noon} and dreamt of ${topics}.`,
  `My train to ${places} was # minutes late {again|today|as always}.`,
  `Could you look at ${things} {later|tomorrow|once more}?`,
  `I ran # km {this morning|along the river|in the rain} and thought about ${topics}.`,
  `There were about # people at the talk on ${topics}, half of them from ${places}.`,
  `How would you explain ${topics} to {a child|${people}}?`,
  `${people} told me that ${topics} are {harder|easier|stranger} than they look.`,
  `Yesterday I watched a film about ${topics}, # minutes long, and {laughed|yawned|cried} a lot.`,
  `We used to meet in ${places} every {spring|autumn|winter}, now it is only mail.`,
  `Can you phrase ${things} more {kindly|briefly|clearly}?`,
  `Somebody left # {umbrellas|gloves|bicycles} in the {meeting room|hall|lift}.`,
  `Actually, ${topics} would make a nice {cover|title|joke}.`,
  `I only wanted to say that ${things} {made my day|was fun|took me # hours}.`,
  `Maybe we could spend # EUR on {flowers|pizza|stickers}, who knows.`,
  `{Das|Der Text|Die Liste} klingt gut, ich {melde mich|schaue|lese weiter} nach dem {Mittag|Kaffee|Termin}.`,
  `In ${places} hat es heute # Grad, und {alle|die Kinder|die Gäste} reden über ${topics}.`,
  `Merci, {le texte|la liste|le plan} me plaît {beaucoup|bien}, on en reparle {demain|lundi}.`,
  `Vale, gracias, {lo leo|lo miro|sigo} esta {tarde|noche} en el {tren|bar|parque}.`,
  `{ありがとうございます|なるほど|面白いですね}、{あとで|明日|帰りに}読みます。`,
  `The {coffee machine|printer|lift} on floor # is {broken|fixed|humming} and nobody {cares|knows why|minds}.`,
];

/** Chatter of the assistant. */
export const assistantChatter: readonly string[] = [
  `Here is ${things} as you asked, with {shorter|simpler|warmer} sentences; change what you like.`,
  `For readers who like ${topics} I would open with {a question|a picture|an example} and end with {a number|a smile}.`,
  `I shortened ${things} by about # percent and kept the {tone|order|examples}.`,
  `In general it is {wise|easier|safer} to begin with the {smaller|older|clearer} part, because ${topics} confuse people.`,
  `Would you like {a table|a list|a drawing} of ${topics} instead?`,
  `Most articles about ${topics} must fit on # pages, so they never go deep.`,
  `Three things matter for ${things}: who reads it, when, and on which {device|page|train}.`,
  `A walk through ${places} sometimes helps more than another {hour|meeting|draft}.`,
  `Did you know that ${topics} were {painted|counted|sold} in ${places} already # years ago?`,
  `Gerne, {hier ist der Entwurf|ich fasse zusammen|das passt}, mit # {Wörtern|Zeilen|Absätzen} weniger.`,
  `Bien sûr, {voici le texte|je continue|c’est noté}, avec # {mots|lignes} de moins.`,
  `はい、{承知しました|直しておきます|続けます}。`,
  'Here is the function:\n```ts\nconst total_# = items.reduce((sum, item) => sum + item.price * #, 0);\n```',
  `You can also ask me to compare ${things} with ${things} line by line.`,
  `The {second|third|last} paragraph could come first, since {readers|visitors|children} skim after # seconds.`,
  `I have {noted it|added it|moved it}, and ${things} now mentions ${topics} only {once|twice}.`,
];
