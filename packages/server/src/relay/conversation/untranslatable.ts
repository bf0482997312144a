import type { Words } from '@tollgate/contract';
import {
  type Extra,
  type Sampling,
  type RequestContext,
  type ProtocolId,
  refuse,
  type RelayError,
} from '../types/index.ts';
import { type JsonObject, textOf } from '../../lib/json.ts';

/** The refusal of a request that another protocol cannot express without changing its meaning. */
export const cannotTranslate = (what: string | Words, to: ProtocolId): RelayError =>
  refuse('cannot_translate', { protocol: to, what });

/**
 * The fields of `extra` if it is of the own protocol. Fields of another protocol are dropped and named, or refused if
 * they are essential.
 */
export function ownFields(
  extra: Extra | undefined,
  own: ProtocolId,
  context: Pick<RequestContext, 'drop'>,
): JsonObject {
  if (!extra) return {};
  if (extra.protocol === own) return extra.fields;
  const [essential] = extra.essential ?? [];
  if (essential !== undefined) throw cannotTranslate(essential, own);
  const refused = extra.refusedFields?.find((name) => Object.hasOwn(extra.fields, name));
  if (refused !== undefined) {
    throw refuse('cannot_translate', { protocol: own, what: refused }, { param: refused });
  }
  for (const name of Object.keys(extra.fields)) context.drop(name);
  return {};
}

/** The same for a part of only one protocol, a tool or a block: it is dropped and named by its type. */
export function ownPart(
  extra: Extra,
  own: ProtocolId,
  context: Pick<RequestContext, 'drop'>,
): JsonObject | undefined {
  if (extra.protocol === own) return extra.fields;
  const type = textOf(extra.fields.type) || (Object.keys(extra.fields)[0] ?? '');
  ownFields({ ...extra, fields: { [type]: true } }, own, context);
  return undefined;
}

/** Sampling that OpenAI's protocols have and Claude's do not. */
export const samplingOfOpenai = [
  'frequencyPenalty',
  'presencePenalty',
  'seed',
  'logitBias',
  'logprobs',
  'topLogprobs',
] as const;

/** Names the sampling fields that a protocol lacks. A switch that is off and a zero request nothing. */
export function dropSampling(
  sampling: Sampling,
  names: readonly (keyof Sampling)[],
  { drop }: Pick<RequestContext, 'drop'>,
): void {
  for (const name of names) {
    const value = sampling[name];
    if (value !== undefined && value !== false && value !== 0) drop(name);
  }
}
