import { unpadded } from '../header-text.ts';
import { lengthDigits, type PlainHead, readPlainHead } from './plain-head.ts';

/** Longer heads are read anew each time: what is remembered stays as long as its connection. */
const maxRemembered = 4 * 1024;

/** A head that was read, and its text around the length. */
interface Remembered {
  head: PlainHead;
  before: string;
  after: string;
}

/**
 * Reads the heads of one connection. A caller's program says the same head again and again, and only the length differs:
 * then all that was found out about it still holds, and the length alone is looked at.
 */
export class HeadReader {
  private last: Remembered | undefined;

  /** As `readPlainHead`. */
  read(text: string): PlainHead | undefined {
    const again = this.last && readAgain(text, this.last);
    if (again) return again;
    const found = readPlainHead(text);
    if (!found) return undefined;
    const { head, lengthFrom, lengthTo } = found;
    this.last =
      text.length <= maxRemembered
        ? { head, before: text.slice(0, lengthFrom), after: text.slice(lengthTo) }
        : undefined;
    return head;
  }
}

function readAgain(text: string, { head, before, after }: Remembered): PlainHead | undefined {
  const to = text.length - after.length;
  // Slices are compared at once, where `startsWith` goes letter by letter.
  if (text.slice(0, before.length) !== before || text.slice(to) !== after) return undefined;
  const digits = unpadded(text, before.length, to);
  if (digits === head.headers['content-length']) return head;
  if (!lengthDigits.test(digits)) return undefined;
  const { url, headers, isLast } = head;
  return { url, headers: { ...headers, 'content-length': digits }, length: Number(digits), isLast };
}
