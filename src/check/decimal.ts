// Decimal numbers as text, exact at any length: `1000`, `0.92`, `-2.5`.

/** The number of these digits, `point` places shifted to the right (left where negative); no zeros that say nothing. */
export function decimalOf(
  digits: { readonly whole: string; readonly fraction: string; readonly isNegative: boolean },
  shift = 0,
): string {
  const all = digits.whole + digits.fraction;
  const point = digits.whole.length + shift;
  const padded = point > all.length ? all.padEnd(point, '0') : all.padStart(all.length + Math.max(0, -point), '0');
  const place = Math.max(0, point);
  const whole = padded.slice(0, place).replace(/^0+/, '') || '0';
  const fraction = withoutLastZeros(padded.slice(place));
  const value = fraction === '' ? whole : `${whole}.${fraction}`;
  return digits.isNegative && value !== '0' ? `-${value}` : value;
}

function withoutLastZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '0') end -= 1;
  return text.slice(0, end);
}

/** The same number with its point shifted. */
export function shifted(decimal: string, shift: number): string {
  if (shift === 0) return decimal;
  const isNegative = decimal.startsWith('-');
  const [whole = '', fraction = ''] = decimal.slice(isNegative ? 1 : 0).split('.');
  return decimalOf({ whole, fraction, isNegative }, shift);
}
