import { product, role, type RouteCandidate, type RouteReason, type RouteStep } from '@tollgate/contract';
import { refuse } from '../../relay/types/index.ts';
import type { Candidate, TriedIds } from '../../services/calls/routing/index.ts';
import type { Caller, GatewayDeps, RelayCall } from '../call/index.ts';
import { type RouteCall, type RouteDeps, routeOf, standInModels } from './choose.ts';

/** Administrators' header: `1` explains the choice in a header of the answer, `dry` answers it without a call. */
const headerOf = ({ req }: Pick<RelayCall, 'req'>): string =>
  String(req.headers[product.headers.explain] ?? '');

/** True if an administrator wants the choice of this call explained in the answer. */
export const isExplained = (call: Pick<RelayCall, 'req' | 'caller'>): boolean =>
  headerOf(call) === '1' && call.caller.role >= role.admin;

/** True for a request for the explanation without a call. Throws for others than administrators, who expect no charge. */
export function isDryRun(call: { req: RelayCall['req']; caller: Pick<Caller, 'role'> }): boolean {
  if (headerOf(call) !== 'dry') return false;
  if (call.caller.role < role.admin) throw refuse('explain_forbidden');
  return true;
}

interface ExplainOptions {
  /** Channels and keys that have failed. */
  tried?: TriedIds;
  /** The channel that the caller's key or the continued response selects; 0 for none. */
  selected?: number;
}

const nothingTried: TriedIds = new Set();

/** Dependencies of an explanation: those of the choice, and the limits of channels where they are counted. */
export interface ExplainRouteDeps extends RouteDeps {
  limits?: Pick<GatewayDeps['limits'], 'reached'>;
}

/** The channels that a call may get now: for its model, and for each fallback that its key may use. */
export async function explainRoute(
  deps: ExplainRouteDeps,
  call: RouteCall,
  group: string,
  { tried = nothingTried, selected = 0 }: ExplainOptions = {},
): Promise<RouteStep[]> {
  const models = [call.facts.model, ...(selected > 0 ? [] : standInModels(deps, call))];
  const full = await findFull(deps, group, models);
  const passed: TriedIds = new Set([...tried, ...full]);
  const steps = models.map((model): RouteStep => {
    const candidates = deps.routing
      .explain(routeOf(deps, call, group, model), passed)
      .map((each) => (full.has(each.routed.channel.id) ? atLimit(each) : each));
    return {
      model,
      policy: deps.routing.policyOf(group, model),
      serves: false,
      channels: candidates.map((each) => showCandidate(selected > 0 ? selectedBy(each, selected) : each)),
    };
  });
  const first = steps.find(({ channels }) => channels.some(({ odds }) => odds > 0));
  return steps.map((step) => ({ ...step, serves: step === first }));
}

/** Ids of the channels that have reached a limit of their own: a call passes them by. */
async function findFull(
  { routing, limits }: ExplainRouteDeps,
  group: string,
  models: readonly string[],
): Promise<ReadonlySet<number>> {
  const levels = models.flatMap((model) => routing.candidates(group, model));
  const ids = new Set<number>();
  for (const channel of levels.flatMap(({ channels }) => channels))
    if (await limits?.reached(channel)) ids.add(channel.id);
  return ids;
}

const atLimit = (candidate: Candidate): Candidate =>
  candidate.reason === 'tried' ? { ...candidate, reason: 'at_limit' } : candidate;

/** Reasons that also hold for a selected channel. */
const staysOut: ReadonlySet<RouteReason | undefined> = new Set(['region', 'retention', 'unpriced']);

function selectedBy(candidate: Candidate, selected: number): Candidate {
  if (staysOut.has(candidate.reason)) return candidate;
  const isSelected = candidate.routed.channel.id === selected;
  return { ...candidate, odds: isSelected ? 1 : 0, reason: isSelected ? undefined : 'not_selected' };
}

const showCandidate = ({ routed: { channel }, odds, reason, cooldownUntil }: Candidate): RouteCandidate => ({
  channel: channel.id,
  name: channel.name,
  priority: channel.priority,
  weight: channel.weight,
  odds,
  reason: reason ?? null,
  until: Math.ceil(cooldownUntil / 1_000),
});

/** Maximum length of the header's value. */
const maxText = 1_000;

/** The explanation of a call as a header: `in=3:0.75,5:0.25; out=2:cooldown`, by channel id. */
export function explanationText(steps: readonly RouteStep[]): string {
  const { channels } = steps.find(({ serves }) => serves) ?? steps[0]!;
  const inside = channels.filter(({ odds }) => odds > 0);
  const outside = channels.filter(({ odds }) => odds === 0);
  const text = [
    `in=${inside.map(({ channel, odds }) => `${channel}:${Math.round(odds * 10_000) / 10_000}`).join()}`,
    `out=${outside.map(({ channel, reason }) => `${channel}:${reason}`).join()}`,
  ].join('; ');
  return text.length > maxText ? `${text.slice(0, maxText - 3)}...` : text;
}
