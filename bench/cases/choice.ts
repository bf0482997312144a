import { channelStatus, type RoutingPolicy, routingPolicies } from '../../packages/contract/src/index.ts';
import { unsavedChannel } from '../../packages/server/src/relay/types/index.ts';
import {
  createHealth,
  createRouting,
  type Routing,
} from '../../packages/server/src/services/calls/routing/index.ts';

/** Cost of the choice of a channel, in nanoseconds. */
export type ChoiceCost = Record<RoutingPolicy, { few: number; many: number }>;

/** Channels of the compared sites, all of the same priority. */
export const choiceSizes = { few: 10, many: 1_000 };

const choicesPerWindow = 20_000;
const sessions = 1_000;
const tried: ReadonlySet<number> = new Set();
const costs = { version: {}, on: ({ weight }: { weight: number }) => weight };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function openSite(channels: number, policy: RoutingPolicy): Promise<Routing> {
  const routing = createRouting({
    loadChannels: async () =>
      Array.from({ length: channels }, (_, index) => ({
        channel: unsavedChannel({
          id: index + 1,
          name: `channel ${index + 1}`,
          type: 1,
          key: 'k',
          baseUrl: 'https://api.example.com',
          weight: index % 7,
        }),
        status: channelStatus.enabled,
        groups: ['default'],
        models: ['gpt-4o'],
        testModel: '',
      })),
    random: Math.random,
    health: createHealth(Date.now),
    clock: Date.now,
    policyOf: () => policy,
    onKeyUse: () => undefined,
    log: quiet,
  });
  await routing.reload();
  return routing;
}

function runWindow(routing: Routing): number {
  let session = 0;
  const request = {
    group: 'default',
    model: 'gpt-4o',
    session: () => `session ${(session += 1) % sessions}`,
    costs: () => costs,
  };
  const before = process.hrtime.bigint();
  for (let choice = 0; choice < choicesPerWindow; choice += 1) routing.choose(request, tried);
  return Number(process.hrtime.bigint() - before) / choicesPerWindow;
}

/** Runs both sites in turns, window by window. The minimum of each counts, because other load only adds to it. */
export async function runChoice(windowCount: number): Promise<ChoiceCost> {
  const costs = {} as ChoiceCost;
  for (const policy of routingPolicies) {
    const few = await openSite(choiceSizes.few, policy);
    const many = await openSite(choiceSizes.many, policy);
    const least = { few: Infinity, many: Infinity };
    for (const site of [few, many]) runWindow(site);
    for (let round = 0; round < windowCount * 4; round += 1) {
      least.few = Math.min(least.few, runWindow(few));
      least.many = Math.min(least.many, runWindow(many));
    }
    costs[policy] = least;
  }
  return costs;
}
