import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** The call of a receipt, from its log row when the receipt was made. */
export interface ReceiptCall {
  request_id: string;
  /** The model by the caller's name. */
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  /** upstream, counted or estimated. */
  usage_source: string;
  end_reason: string;
  /** Lines of the bill: counter, number of units, price of one and amount, the last two as decimal text in quota units. */
  terms: { what: string; count: number; unit: string; amount: string }[];
  /** What the vendor said about its answer, and the bytes that the caller got; null if the call did not record them. */
  answer: ReceiptAnswer | null;
}

/** The answer of a call. A text that the vendor did not send is ''. */
export interface ReceiptAnswer {
  /** The vendor's id of the answer, the model that it names, and its fingerprint. */
  id: string;
  model: string;
  fingerprint: string;
  /** Number of bytes of the body, and their SHA-256 in hex. */
  bytes: number;
  sha256: string;
}

/** The signed part of a receipt: one ledger entry. Amounts are quota units, times Unix seconds. */
export interface ReceiptBody {
  v: 1;
  type: 'receipt';
  /** Thumbprint of the key that signs. */
  kid: string;
  account: number;
  /** Number in the chain of the account, from 1, and the SHA-256 of the body before it; '' for the first. */
  seq: number;
  prev: string;
  /** Id, unique name, kind and time of the ledger entry. */
  entry: number;
  txn: string;
  kind: string;
  at: number;
  user: number;
  token: number;
  /** Change of the balance, and the balance after it. */
  amount: number;
  balance: number;
  /** The part that could not be collected. */
  written_off: number;
  sealed_at: number;
  call: ReceiptCall | null;
}

/** The body of a stored receipt. */
export const readBody = (body: string): ReceiptBody => JSON.parse(body) as ReceiptBody;

/** The signed head of a month's file. */
export interface MonthBody {
  v: 1;
  type: 'month';
  kid: string;
  account: number;
  month: string;
  time_zone: string;
  from: number;
  to: number;
  /** When it was signed. */
  sealed_at: number;
  /**
   * The numbers of the first and the last receipt of the file, and the SHA-256 of the body before the first. They include
   * all entries of the month. Times of entries are not exactly in the order of the chain, so those of a neighbouring month
   * may be among them. Without receipts `last` is `first` − 1.
   */
  first: number;
  last: number;
  prev: string;
  /** Balance before the first and after the last receipt; null if the account has no receipts. */
  opening: number | null;
  closing: number | null;
  /** Of the entries within the month: charges of calls, and other movements. */
  charged: number;
  moved: number;
  /** Entries of the month that had no receipt yet; of a long backlog, its first part. */
  pending: number;
}

/**
 * Canonical JSON (RFC 8785), which is signed: members in the order of their UTF-16 units, numbers and texts as JavaScript
 * writes them. Throws for a text with half a surrogate pair, which has no UTF-8.
 */
export function canonical(value: unknown): string {
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a text in it is damaged');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, each]) => `${canonical(name)}:${canonical(each)}`).join(',')}}`;
}

/** SHA-256 of a body in hex, which the next one names. */
export const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/** A line of a file: body and signature, canonical as a whole. */
export const lineOf = ({ body, signature }: { body: string; signature: string }): string =>
  `{"body":${body},"signature":"${signature}"}`;

// In a thread of Node's pool.
const signAside = promisify<null, Buffer, KeyObject, Buffer>(sign);

/** The Ed25519 signature of a body, base64url. */
export const signBody = async (key: KeyObject, body: string): Promise<string> =>
  (await signAside(null, Buffer.from(body), key)).toString('base64url');

/** An Ed25519 public key as a JSON Web Key; times are Unix seconds. */
export interface ReceiptJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  use: 'sig';
  alg: 'EdDSA';
  kid: string;
  /** The public key, base64url. */
  x: string;
  /** Signs receipts from here on, and until `exp`; without one it is in use. */
  nbf: number;
  exp?: number;
}

/** The thumbprint of a public key (RFC 7638), by which receipts name it. */
export const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(canonical({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

export const publicKeyOf = (x: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

/** A private key from its seed `d` and its public key, both base64url. */
export const privateKeyOf = (d: string, x: string): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
