// Patterns that choose files of a folder: `*` within a name, `**` across folders, `?` for one character.

/** True when a path (with `/` between names) has the pattern; one without `/` is compared with the last name alone. */
export function matchesPattern(path: string, pattern: string): boolean {
  const compared = pattern.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1);
  return expressionOf(pattern).test(compared);
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.replace(/^\.?\//, '').match(/\*\*\/|\*\*|\*|\?|[^*?]+/g) ?? [];
  const expression = parts.map((part) => {
    if (part === '**/') return '(?:[^/]+/)*';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${expression.join('')}$`, 'su');
}
