import { refuse } from '../../../relay/types/index.ts';

interface AnthropicModel {
  type: 'model';
  id: string;
  display_name: string;
  created_at: string;
}

/** The fixed creation time the original gives every model. */
const createdAt = '2021-07-20T10:00:00Z';

const describe = (id: string): AnthropicModel => ({
  type: 'model',
  id,
  display_name: id,
  created_at: createdAt,
});

/** All models in one page, as Anthropic's list has them. */
export const listAnthropicModels = (names: readonly string[]): object => ({
  data: names.map(describe),
  has_more: false,
  first_id: names[0] ?? null,
  last_id: names.at(-1) ?? null,
});

/** One model; an unknown one is a 404 in Anthropic's protocol. */
export function anthropicModel(names: readonly string[], id: string): object {
  if (names.includes(id)) return describe(id);
  throw refuse('model_not_found', { model: id });
}
