import { verify } from 'node:crypto';
import { z } from 'zod';
import { canonical, hashOf, lineOf, publicKeyOf, thumbprint } from './document.ts';

/** Seconds by which clocks of processes may differ, at a change of the key. */
const skew = 300;
/** Problems that are kept. */
const maxProblems = 100;

/** What is wrong with a line of a file, from 1; 0 for the whole file. */
export interface Problem {
  line: number;
  text: string;
}

/** The result of a check. Amounts are quota units. */
export interface Checked {
  /** `month`: the file has all receipts of its head. `receipts`: each stands alone, and any may be missing. */
  kind: 'month' | 'receipts';
  valid: boolean;
  problems: Problem[];
  receipts: number;
  /** Charges of calls, and other movements: of a month, those within it. */
  charged: number;
  moved: number;
  /** The signed head of a month. */
  head: Month | null;
}

const whole = z.number().int();

const keySchema = z.object({ kid: z.string(), x: z.string(), nbf: whole, exp: whole.optional() });
type PublicKey = z.output<typeof keySchema>;

/** The public keys of a site by their id. Throws an Error for a key that is not named by its thumbprint. */
export function readKeys(text: string): Map<string, PublicKey> {
  const read = z.object({ keys: z.array(keySchema).min(1) }).safeParse(JSON.parse(text));
  if (!read.success) throw new Error('there are no keys in it');
  for (const { kid, x } of read.data.keys)
    if (thumbprint(x) !== kid) throw new Error(`the key ${kid} is not what its id says`);
  return new Map(read.data.keys.map((key) => [key.kid, key]));
}

// What the checker reads of the two bodies; `document.ts` says what it means.
const common = { v: z.literal(1), kid: z.string(), sealed_at: whole, account: whole, prev: z.string() };
const receiptSchema = z.looseObject({
  ...common,
  type: z.literal('receipt'),
  seq: whole.min(1),
  kind: z.string(),
  at: whole,
  amount: whole,
  balance: whole,
});
const monthSchema = z.looseObject({
  ...common,
  type: z.literal('month'),
  month: z.string(),
  time_zone: z.string(),
  from: whole,
  to: whole,
  first: whole,
  last: whole,
  opening: whole.nullable(),
  closing: whole.nullable(),
  charged: whole,
  moved: whole,
  pending: whole,
});
const lineSchema = z.strictObject({
  body: z.discriminatedUnion('type', [receiptSchema, monthSchema]),
  signature: z.string(),
});
type Receipt = z.output<typeof receiptSchema>;
type Month = z.output<typeof monthSchema>;

/** The body of a line. Throws an Error that says what is wrong with it. */
function openLine(text: string, keys: ReadonlyMap<string, PublicKey>): Receipt | Month {
  const { success, data } = lineSchema.safeParse(readJson(text));
  if (!success) throw new Error('it is no signed receipt of this version');
  const { body, signature } = data;
  const key = keys.get(body.kid);
  if (!key) throw new Error(`its key ${body.kid} is not among the keys of the site`);
  const bytes = Buffer.from(signature, 'base64url');
  const isSame = bytes.toString('base64url') === signature;
  const signed = canonical(body);
  if (!isSame || !verify(null, Buffer.from(signed), publicKeyOf(key.x), bytes))
    throw new Error('its signature is wrong: it was changed after it was signed');
  // A member that is there twice, or a number that is no integer, is read differently by other programs.
  if (text !== lineOf({ body: signed, signature })) throw new Error('it is not written as it was signed');
  const { nbf, exp = body.sealed_at } = key;
  if (body.sealed_at < nbf - skew || body.sealed_at > exp + skew)
    throw new Error('its key was not in use when it was signed');
  return body;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
}

/** A receipt with its place in the file, and the hash that the next one must name. */
interface Linked {
  body: Receipt;
  hash: string;
  line: number;
}

/** Checks a file of signed receipts line by line, with the public keys alone. */
export class ReceiptChecker {
  private readonly keys: ReadonlyMap<string, PublicKey>;
  private line = 0;
  /** Lines that are not empty. */
  private written = 0;
  private readonly problems: Problem[] = [];
  private found = 0;
  private head: Month | null = null;
  private readonly result = { receipts: 0, charged: 0, moved: 0 };
  /** The first and the last receipt of a month. */
  private first: Receipt | undefined;
  private last: Linked | undefined;
  /** Separate receipts by account and number. */
  private readonly known = new Map<string, Linked>();

  constructor(keys: ReadonlyMap<string, PublicKey>) {
    this.keys = keys;
  }

  /** Takes the next line, without its LF. */
  add(text: string): void {
    this.line += 1;
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line === '') return;
    this.written += 1;
    try {
      const body = openLine(line, this.keys);
      if (body.type === 'receipt') this.take(body);
      else if (this.written === 1) this.head = body;
      else this.note('a head of a month is not the first line');
    } catch (error) {
      this.note(error instanceof Error ? error.message : String(error));
    }
  }

  /** The result, after the last line. */
  end(): Checked {
    const { head } = this;
    if (this.written === 0) this.note('the file is empty', 0);
    if (head) this.closeMonth(head);
    else this.linkSeparate();
    return {
      kind: head ? 'month' : 'receipts',
      valid: this.found === 0,
      problems: this.problems,
      ...this.result,
      head,
    };
  }

  private note(text: string, line = this.line): void {
    this.found += 1;
    if (this.problems.length < maxProblems) this.problems.push({ line, text });
  }

  private take(body: Receipt): void {
    this.result.receipts += 1;
    const { head } = this;
    if (!head || (body.at >= head.from && body.at < head.to)) {
      if (body.kind === 'usage') this.result.charged -= body.amount;
      else this.result.moved += body.amount;
    }
    if ((body.prev === '') !== (body.seq === 1))
      this.note('only the first receipt of an account has none before it');
    const here = { body, hash: hashOf(canonical(body)), line: this.line };
    if (!head) return this.takeSeparate(here);
    if (this.last) this.link(this.last, here);
    this.first ??= body;
    this.last = here;
  }

  private takeSeparate(here: Linked): void {
    const name = `${here.body.account} ${here.body.seq}`;
    const other = this.known.get(name);
    if (!other) this.known.set(name, here);
    else this.note(`receipt ${here.body.seq} of account ${here.body.account} is there twice`);
  }

  /** Checks that a receipt follows another one. */
  private link(before: Linked, { body, line }: Linked): void {
    const { account, seq, prev, balance, amount } = body;
    if (account !== before.body.account) return this.note('it belongs to another account', line);
    if (seq !== before.body.seq + 1)
      return this.note(`receipt ${seq} follows receipt ${before.body.seq}: the chain has a gap`, line);
    if (prev !== before.hash) this.note('it does not name the receipt before it: the chain is broken', line);
    if (balance !== before.body.balance + amount)
      this.note('its balance is not the one before it plus its amount', line);
  }

  private linkSeparate(): void {
    for (const here of this.known.values()) {
      const before = this.known.get(`${here.body.account} ${here.body.seq - 1}`);
      if (before) this.link(before, here);
    }
  }

  private closeMonth(head: Month): void {
    const { first, last, result } = this;
    const count = head.last - head.first + 1;
    const whole = (isRight: boolean, text: string): void => {
      if (!isRight) this.note(text, 0);
    };
    whole(result.receipts === count, `the month has ${count} receipts, and the file ${result.receipts}`);
    whole(
      result.charged === head.charged && result.moved === head.moved,
      'the sums of the month are not those of its head',
    );
    if (!first || !last) return whole(head.opening === head.closing, 'the balance changes without a receipt');
    whole(first.account === head.account, 'the head is that of another account');
    whole(
      first.seq === head.first && last.body.seq === head.last,
      'the first or the last receipt is missing',
    );
    whole(first.prev === head.prev, 'the head does not name the receipt before the month');
    whole(first.balance - first.amount === head.opening, 'the opening balance is not that of the head');
    whole(last.body.balance === head.closing, 'the closing balance is not that of the head');
  }
}
