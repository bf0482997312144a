import type { SettingValue, SettingValues } from '@tollgate/contract';
import { rewriteForm, scanForm } from '../../lib/form.ts';
import { splice, textOf } from '../../lib/json.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { autoGroup, type Pricing } from '../../services/money/pricing/index.ts';
import { type Caller, ClientStream, type RelayCall } from '../call/index.ts';
import { askHook, type HookDeps, type HookQuestion, type HookRule } from './ask-hook.ts';
import { GuardedSink } from './guarded-sink.ts';
import { requestTexts, type TextSlot } from './texts.ts';

/** The texts of a captured call, before redaction. */
interface Said {
  request: string;
  answer: string;
}

/** Names the groups of `auto`, in any of which a call may be served. */
type Groups = Pick<Pricing, 'autoGroups'>;

export interface GuardDeps extends HookDeps {
  pricing: Groups;
  /** Stores the texts of a captured call. Must not wait. */
  capture(relayCall: RelayCall, rule: string, said: Said): void;
  /** Writes an error in the caller's protocol and language, and the log row of a failed call. */
  refuse(relayCall: RelayCall, error: RelayError): void;
  /** Writes the log row of a delivered answer that a hook would have refused. */
  report(relayCall: RelayCall, error: RelayError): void;
}

/** The key and the organisation of a caller, as rules name them. */
const namesOf = ({ tokenId, team }: Caller): Set<string> =>
  new Set([`key:${tokenId}`, ...(team ? [`organisation:${team.id}`] : [])]);

/** The rules that apply to a caller, in their order: with `auto`, those of each group that may serve the call. */
function rulesFor(
  pricing: Groups,
  rules: SettingValue<'GuardHooks'>,
  caller: Caller,
  askedGroup = '',
): HookRule[] {
  const names = namesOf(caller).add('all');
  const group = askedGroup || caller.tokenGroup || caller.userGroup;
  names.add(`group:${group}`);
  if (group === autoGroup)
    for (const each of pricing.autoGroups(caller.userGroup)) names.add(`group:${each}`);
  return rules.filter(({ who }) => names.has(who));
}

/** The refusal of a call of a kind that hooks cannot check; undefined if no closed rule applies to its caller. */
export function uncheckedError(
  pricing: Groups,
  rules: SettingValue<'GuardHooks'>,
  caller: Caller,
): RelayError | undefined {
  const isClosed =
    rules.length > 0 && rulesFor(pricing, rules, caller).some((rule) => rule.on_failure === 'closed');
  return isClosed ? refuse('hook_unsupported') : undefined;
}

/**
 * Serves a call by `run` under the hooks of its caller: those before it may refuse it or replace its texts, and those after
 * it check its answer. A refused request is not charged; a refused answer is charged as it was used.
 */
export async function serveGuarded(
  deps: GuardDeps,
  { GuardHooks: rules, ContentCapture: captured }: Pick<SettingValues, 'GuardHooks' | 'ContentCapture'>,
  relayCall: RelayCall,
  run: (relayCall: RelayCall) => Promise<void>,
): Promise<void> {
  const applied = rulesFor(deps.pricing, rules, relayCall.caller, relayCall.askedGroup);
  const checked = await checkRequest(deps, applied, relayCall);
  if (!('json' in checked)) return deps.refuse(relayCall, checked);
  const after = applied.filter(({ when }) => when.includes('after'));
  const names = namesOf(relayCall.caller);
  const rule = captured.find((name) => names.has(name));
  if (after.length === 0 && rule === undefined) return run(checked);
  const isCaptured = rule === undefined ? undefined : true;
  return serveChecked(deps, { rules: after, rule }, { ...checked, isCaptured }, run);
}

const questionOf = (
  { requestId, caller, askedGroup, facts, inbound }: RelayCall,
  when: HookQuestion['when'],
  slots: readonly Pick<TextSlot, 'text'>[],
  more: Partial<HookQuestion> = {},
): HookQuestion => ({
  id: requestId,
  when,
  user: { id: caller.userId, name: caller.username },
  key: caller.tokenName,
  organisation: caller.team?.id ?? 0,
  group: askedGroup || caller.tokenGroup || caller.userGroup,
  model: facts.model,
  protocol: inbound.id,
  stream: facts.stream,
  delivered: false,
  context: '',
  texts: slots.map(({ text }) => text),
  ...more,
});

/** Asks each rule in turn; each reads what the one before it has replaced. Resolves to the error of a refusal. */
async function check(
  deps: HookDeps,
  rules: readonly HookRule[],
  slots: TextSlot[],
  ask: () => HookQuestion,
  onReplaced: (rule: string) => void,
): Promise<RelayError | undefined> {
  for (const rule of rules) {
    const verdict = await askHook(deps, rule, ask());
    if ('error' in verdict) return verdict.error;
    for (const [index, slot] of slots.entries()) {
      const text = verdict.texts?.[index] ?? slot.text;
      if (text === slot.text) continue;
      slot.replace(text);
      slot.text = text;
      onReplaced(rule.name);
    }
  }
  return undefined;
}

/** The call with the texts that the hooks before it allow, or the error of a refusal. */
async function checkRequest(
  deps: GuardDeps,
  applied: readonly HookRule[],
  relayCall: RelayCall,
): Promise<RelayCall | RelayError> {
  const rules = applied.filter(({ when }) => when.includes('before'));
  if (rules.length === 0) return relayCall;
  const json = structuredClone(relayCall.json);
  const slots = requestTexts(json);
  if (slots.length === 0) return relayCall;
  let replacedBy: string | undefined;
  const error = await check(
    deps,
    rules,
    slots,
    () => questionOf(relayCall, 'before', slots),
    (name) => (replacedBy = name),
  );
  if (error) return error;
  return replacedBy === undefined ? relayCall : withTexts(relayCall, json, replacedBy);
}

/** The call with other texts in its body, and a hold for those that are longer. */
function withTexts(relayCall: RelayCall, json: RelayCall['json'], replacedBy: string): RelayCall {
  const { form, raw, facts, cached } = relayCall;
  const changed = new Map<string, string>();
  for (const name of Object.keys(json)) {
    const text = JSON.stringify(json[name]);
    if (text !== JSON.stringify(relayCall.json[name])) changed.set(name, form ? textOf(json[name]) : text);
  }
  // Its answer is not that of the request by which it would be stored.
  if (cached) cached.isChanged = true;
  const body = form ? rewriteForm(raw, form.scan, changed) : splice(raw, changed);
  const longer = Math.max(0, body.length - raw.length);
  return {
    ...relayCall,
    json,
    raw: body,
    form: form && { ...form, scan: scanForm(body, form.scan.boundary) },
    // A token of the estimate stands for three bytes.
    facts: { ...facts, estimatedInputTokens: facts.estimatedInputTokens + Math.ceil(longer / 3) },
    cached: undefined,
    replacedBy,
  };
}

/** The hooks after a call, and the rule by which it is captured. */
interface After {
  rules: readonly HookRule[];
  rule: string | undefined;
}

async function serveChecked(
  deps: GuardDeps,
  { rules, rule: captures }: After,
  relayCall: RelayCall,
  run: (relayCall: RelayCall) => Promise<void>,
): Promise<void> {
  const { stream } = relayCall.facts;
  const checking = stream ? rules.filter((rule) => rule.window > 0) : rules;
  const reporting = stream ? rules.filter((rule) => rule.window === 0) : [];
  const request = requestTexts(relayCall.json)
    .map(({ text }) => text)
    .join('\n\n');
  const guard: NonNullable<RelayCall['guard']> = { mayChange: checking.length > 0 };
  const unstored = (): void => {
    if (relayCall.cached) relayCall.cached.isChanged = true;
  };
  const sink = new GuardedSink(relayCall, {
    window: checking.length > 0 ? Math.min(...checking.map((rule) => rule.window)) : 0,
    check: (slots, context) =>
      check(deps, checking, slots, () => questionOf(relayCall, 'after', slots, { context }), unstored),
    onDelivered(text) {
      if (captures !== undefined) deps.capture(relayCall, captures, { request, answer: text });
      if (!stream) return;
      for (const rule of reporting)
        void askHook(deps, rule, questionOf(relayCall, 'after', [{ text }], { delivered: true })).then(
          (verdict) => 'error' in verdict && deps.report(relayCall, verdict.error),
        );
    },
    stop: () => guard.stop?.(),
    refuse(error, last) {
      unstored();
      const client = new ClientStream(relayCall.res);
      client.last = last;
      deps.refuse({ ...relayCall, client }, error);
    },
  });
  await run({ ...relayCall, res: sink, client: new ClientStream(sink), guard });
  if (!sink.writableEnded) sink.destroy();
  await sink.done;
}
