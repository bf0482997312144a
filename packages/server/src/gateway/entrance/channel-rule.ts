import { type Channel, refuse, type RelayError } from '../../relay/types/index.ts';
import type { Routing } from '../../services/calls/routing/index.ts';
import { barByRule, describeRule } from '../../services/people/tokens/index.ts';
import type { Caller } from '../call/index.ts';

type Ruled = Pick<Caller, 'channelRule'>;

/** Why the rule of the caller's key or organisation bars a channel; undefined if it does not. */
export const ruleBar = ({ channelRule }: Ruled, { setting }: Channel): 'region' | 'retention' | undefined =>
  channelRule === null ? undefined : barByRule(channelRule, setting);

/** Error of a call that no permitted channel can serve; `wanted` is its model, or the id of what it continues. */
const outsideRule = ({ channelRule }: Ruled, wanted: string): RelayError =>
  refuse('channels_outside_rule', { wanted, rule: channelRule ? describeRule(channelRule) : '' });

/** Throws if the rule bars the channel to which a call is bound. */
export function checkRule(caller: Ruled, channel: Channel, wanted: string): void {
  if (ruleBar(caller, channel)) throw outsideRule(caller, wanted);
}

/** The error if the rule bars all channels that a group has for a model; undefined if it leaves one, or there are none. */
export function ruleBarsAll(
  routing: Pick<Routing, 'candidates'>,
  caller: Ruled,
  group: string,
  model: string,
): RelayError | undefined {
  if (caller.channelRule === null) return undefined;
  const channels = routing.candidates(group, model).flatMap((level) => level.channels);
  const isBarred = channels.length > 0 && channels.every((channel) => ruleBar(caller, channel));
  return isBarred ? outsideRule(caller, model) : undefined;
}
