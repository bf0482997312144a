import { refuse, RelayError } from '../relay/model/relay-error.ts';
import type { Pricing } from '../services/pricing/index.ts';
import type { Admission, Caller, Exchange } from './types.ts';

/** What the door needs to know of the site, all from memory. */
export interface AdmitDeps {
  pricing: Pick<Pricing, 'snapshot' | 'usableGroups' | 'groupRatio'>;
  /** The first word of the request that the site forbids; undefined when none. Null words switch the check off. */
  forbiddenWord(exchange: Exchange): string | undefined;
}

/** The group whose channels and ratio apply (wire-facts 5.2, step 3). */
export function usingGroup(deps: Pick<AdmitDeps, 'pricing'>, caller: Caller, askedGroup: string): string {
  const wanted = askedGroup === '' ? caller.tokenGroup : askedGroup;
  if (wanted === '' || wanted === caller.userGroup) return caller.userGroup;
  if (!Object.hasOwn(deps.pricing.usableGroups(caller.userGroup), wanted)) {
    throw refuse(
      403,
      'group_not_allowed',
      askedGroup === '' ? `令牌分组 ${wanted} 已被禁用` : '无权访问该分组',
    );
  }
  if (deps.pricing.groupRatio(wanted) === undefined) {
    throw refuse(403, 'group_not_allowed', `分组 ${wanted} 已被弃用`);
  }
  return wanted;
}

/** Exact names, as the token lists them; a pinned channel skips the check (wire-facts 2.3). */
function checkModelLimits(caller: Caller, model: string): void {
  if (caller.pinnedChannelId > 0 || caller.modelLimits === null) return;
  if (caller.modelLimits.size === 0) throw refuse(403, 'model_not_allowed', '该令牌无权访问任何模型');
  if (!caller.modelLimits.has(model)) throw refuse(403, 'model_not_allowed', `该令牌无权访问模型 ${model}`);
}

/** Decides whether the caller may use the model, and in which group. Throws the refusal. */
export function admit(deps: AdmitDeps, exchange: Exchange): string {
  const group = usingGroup(deps, exchange.caller, exchange.askedGroup);
  checkModelLimits(exchange.caller, exchange.facts.model);
  return group;
}

/** The price at this moment; throws when there is none, or when the request has a word that the site forbids. */
export function pricedAdmission(deps: AdmitDeps, exchange: Exchange, group: string): Admission {
  const { caller, facts } = exchange;
  const word = deps.forbiddenWord(exchange);
  if (word !== undefined) throw refuse(400, 'sensitive_words_detected', 'sensitive words detected');
  const snapshot = deps.pricing.snapshot(facts.model, group, {
    acceptUnset: caller.acceptUnsetPrice,
    searchSize: facts.searchSize,
  });
  if ('refusal' in snapshot) {
    throw new RelayError({
      status: 500,
      code: 'model_price_error',
      message: snapshot.refusal,
      blame: 'ours',
    });
  }
  return { group, snapshot };
}
