// No name twice: of two members with one name, two readers of a token could each believe another one.

const marks = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** Whether an object anywhere in a JSON text has two members of one name. The text must be JSON. */
export function hasDuplicateNames(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let last = '';
  for (const [mark] of json.matchAll(marks)) {
    if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(null);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ':') {
      // The same name can be written in several ways, so names are compared as what they mean.
      const name: unknown = JSON.parse(last);
      const names = open.at(-1);
      if (names?.has(String(name)) === true) return true;
      names?.add(String(name));
    }
    last = mark;
  }
  return false;
}
