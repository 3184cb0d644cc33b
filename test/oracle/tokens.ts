// Reads Oracle SQL as words, strings and brackets: enough to know which names a statement uses, in no time at all.

/** A token; words and binds in lower case unless quoted. `before` is the offset where it begins. */
export interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'bind' | 'symbol';
  readonly text: string;
  readonly before: number;
}

/** Tokens with everything inside a pair of brackets as one node. */
export type Node = Token | readonly Node[];

const pattern =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|:\s*[A-Za-z][\w$#]*|[A-Za-z_][\w$#]*|\d+(?:\.\d+)?|<>|<=|>=|!=|:=|=>|\|\||[^\s]/g;

/** The tokens of a text without its comments. */
function tokensOf(sql: string): Token[] {
  return [...sql.matchAll(pattern)].flatMap((match): Token[] => {
    const [text] = match;
    const before = match.index;
    if (text.startsWith('--') || text.startsWith('/*')) return [];
    if (text.startsWith("'")) return [{ kind: 'string', text: text.slice(1, -1), before }];
    if (text.startsWith('"')) return [{ kind: 'word', text: text.slice(1, -1).toLowerCase(), before }];
    if (/^:\s*[A-Za-z]/.test(text)) return [{ kind: 'bind', text: text.slice(1).trim().toLowerCase(), before }];
    if (/^[A-Za-z_]/.test(text)) return [{ kind: 'word', text: text.toLowerCase(), before }];
    if (/^\d/.test(text)) return [{ kind: 'number', text, before }];
    return [{ kind: 'symbol', text, before }];
  });
}

/** Tokens with their brackets as nodes of nodes. Throws where brackets do not match. */
export function nodesOf(sql: string): readonly Node[] {
  const stack: Node[][] = [[]];
  for (const token of tokensOf(sql)) {
    if (token.kind === 'symbol' && token.text === '(') stack.push([]);
    else if (token.kind === 'symbol' && token.text === ')') {
      const inner = stack.pop();
      if (inner === undefined || stack.length === 0) throw new Error('a bracket closes that was never opened');
      stack.at(-1)!.push(inner);
    } else stack.at(-1)!.push(token);
  }
  if (stack.length !== 1) throw new Error('a bracket is never closed');
  return stack[0]!;
}

/** True for a pair of brackets. */
export function isGroup(node: Node | undefined): node is readonly Node[] {
  return Array.isArray(node);
}

/** The text of a word; null for anything else. */
export function wordOf(node: Node | undefined): string | null {
  return node !== undefined && !isGroup(node) && node.kind === 'word' ? node.text : null;
}

/** True for this symbol. */
export function isSymbol(node: Node | undefined, text: string): boolean {
  return node !== undefined && !isGroup(node) && node.kind === 'symbol' && node.text === text;
}

/** Nodes cut at a symbol, brackets left whole. */
export function cutAt(nodes: readonly Node[], symbol: string): readonly (readonly Node[])[] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (isSymbol(node, symbol)) parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}

/** The place of the first of these words at this level from a place on, or the length. */
export function findWord(nodes: readonly Node[], words: readonly string[], from = 0): number {
  const found = nodes.findIndex((node, index) => index >= from && words.includes(wordOf(node) ?? ''));
  return found === -1 ? nodes.length : found;
}
