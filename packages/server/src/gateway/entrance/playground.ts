import { rewriteForm, scanForm } from '../../lib/form.ts';
import { splice } from '../../lib/json-scan.ts';
import type { RequestForm } from '../../relay/types/index.ts';
import type { RelayCall } from '../call/index.ts';

/**
 * The body of a call for the vendor. The playground's `group` is only for Tollgate, and its `max_tokens` of 0 means no limit,
 * which a vendor would refuse. All other calls are unchanged.
 */
export function withoutPlaygroundWords<E extends Pick<RelayCall, 'path' | 'json' | 'raw' | 'form'>>(
  relayCall: E,
): E {
  if (!relayCall.path.startsWith('/pg/')) return relayCall;
  const { group: _, ...json } = relayCall.json;
  const cuts = new Map<string, undefined>([['group', undefined]]);
  if (json.max_tokens === 0) {
    delete json.max_tokens;
    cuts.set('max_tokens', undefined);
  }
  const { form } = relayCall;
  if (form) return { ...relayCall, json, ...withoutFields(relayCall.raw, form, cuts) };
  return { ...relayCall, json, raw: splice(relayCall.raw, cuts) };
}

function withoutFields(raw: Buffer, form: RequestForm, cuts: ReadonlyMap<string, undefined>) {
  const cut = rewriteForm(raw, form.scan, cuts);
  return { raw: cut, form: { ...form, scan: scanForm(cut, form.scan.boundary) } };
}
