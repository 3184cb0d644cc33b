// Writes small PDF files for tests: text on pages, plain or compressed, encrypted, or without any text.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

export interface PdfContent {
  /** Pages of paragraphs of lines. */
  readonly pages: readonly (readonly (readonly string[])[])[];
  readonly title?: string;
  readonly isCompressed?: true;
  readonly isEncrypted?: true;
}

const lineHeight = 14;

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

/** Lines of a paragraph stand 14 points apart, paragraphs 42. */
function drawn(page: PdfContent['pages'][number]): string {
  let bottom = 760;
  const lines: string[] = [];
  for (const paragraph of page) {
    for (const line of paragraph) {
      lines.push(`1 0 0 1 60 ${bottom} Tm (${escaped(line)}) Tj`);
      bottom -= lineHeight;
    }
    bottom -= 2 * lineHeight;
  }
  return `BT /F1 12 Tf\n${lines.join('\n')}\nET`;
}

function stream(text: string, isCompressed: boolean): Buffer {
  const bytes = isCompressed ? deflateSync(Buffer.from(text, 'latin1')) : Buffer.from(text, 'latin1');
  const filter = isCompressed ? ' /Filter /FlateDecode' : '';
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length}${filter} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

/** The bytes of a PDF. An encrypted one has a password that nobody knows. */
export function pdfFile({ pages, title, isCompressed, isEncrypted }: PdfContent): Buffer {
  const first = 4;
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, place) => `${first + 2 * place} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  for (const [place, page] of pages.entries()) {
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * place + 1} 0 R >>`,
      stream(drawn(page), isCompressed === true),
    );
  }
  objects.push(`<< ${title === undefined ? '' : `/Title (${escaped(title)})`} >>`);
  const trailer = [`/Size ${objects.length + (isEncrypted ? 2 : 1)} /Root 1 0 R /Info ${objects.length} 0 R`];
  if (isEncrypted === true) {
    const random = createHash('sha256').update('owner').digest('hex');
    objects.push(`<< /Filter /Standard /V 1 /R 2 /P -44 /O <${random}> /U <${random}> >>`);
    trailer.push(`/Encrypt ${objects.length} 0 R /ID [<${random.slice(0, 32)}> <${random.slice(0, 32)}>]`);
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let size = parts[0]?.length ?? 0;
  for (const [place, object] of objects.entries()) {
    offsets.push(size);
    const part = Buffer.concat([Buffer.from(`${place + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    parts.push(part);
    size += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< ${trailer.join(' ')} >>\nstartxref\n${size}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}
