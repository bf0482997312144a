import { sameSecret } from '../../../lib/hash.ts';
import type { EpayConfig } from './config.ts';
import { epaySign } from './sign.ts';

/** A callback with a valid signature, merchant and state. Its order may be unknown. */
interface GenuineCallback {
  tradeNo: string;
  money: string;
}

export type ReadCallback = { callback: GenuineCallback } | { refusal: string };

/** Limits on the number and length of fields, above those of any provider. */
const maxFields = 40;
const maxFieldLength = 1_000;

const refuse = (refusal: string): ReadCallback => ({ refusal });

/** The fields as texts; null if there are too many, or one occurs twice (and has several values). */
function textFields(fields: unknown): Record<string, string> | null {
  if (typeof fields !== 'object' || fields === null) return null;
  const entries = Object.entries(fields);
  const fine = entries.every(([, value]) => typeof value === 'string' && value.length <= maxFieldLength);
  return fine && entries.length <= maxFields ? (Object.fromEntries(entries) as Record<string, string>) : null;
}

/**
 * Validates a provider's callback (docs/compatibility.md#online-top-up–D3): the signature first, so that the response
 * reveals nothing to callers without the key.
 */
export function readCallback(sent: unknown, config: EpayConfig): ReadCallback {
  const fields = textFields(sent);
  if (!fields) return refuse('malformed fields');
  if ((fields.sign_type ?? '').toUpperCase() !== 'MD5') return refuse('unknown kind of signature');
  const sign = (fields.sign ?? '').toLowerCase();
  if (sign === '' || !sameSecret(sign, epaySign(fields, config.key))) return refuse('wrong signature');
  if (fields.pid !== config.merchantId) return refuse('another merchant');
  if (fields.trade_status !== 'TRADE_SUCCESS') return refuse('not paid');
  if (!fields.out_trade_no || !fields.money) return refuse('fields are missing');
  return { callback: { tradeNo: fields.out_trade_no, money: fields.money } };
}

/** The parts of a refused callback for the log: the order it names, never its signature. */
export function auditFields(sent: unknown): Record<string, string> {
  const fields = typeof sent === 'object' && sent !== null ? (sent as Record<string, unknown>) : {};
  const names = ['pid', 'trade_no', 'out_trade_no', 'type', 'money', 'trade_status'];
  const shown = names.map((name) => [name, shortText(fields[name])] as const);
  return Object.fromEntries(shown.filter(([, text]) => text !== ''));
}

/** At most 100 characters without control characters. */
function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return text.slice(0, 100).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}
