import { z } from 'zod';
import { route } from '../../route.ts';

const permission = z.object({
  id: z.string(),
  object: z.literal('model_permission'),
  created: z.number().int(),
  allow_create_engine: z.boolean(),
  allow_sampling: z.boolean(),
  allow_logprobs: z.boolean(),
  allow_search_indices: z.boolean(),
  allow_view: z.boolean(),
  allow_fine_tuning: z.boolean(),
  organization: z.string(),
  group: z.null(),
  is_blocking: z.boolean(),
});

/** A model in OpenAI's list form (docs/compatibility.md#default-model-lists). */
export const modelObject = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number().int(),
  owned_by: z.string(),
  permission: z.array(permission),
  root: z.string(),
  parent: z.null(),
});
export type ModelObject = z.output<typeof modelObject>;

/** The one date all models carry (docs/compatibility.md#default-model-lists): clients sort by it, nobody reads it. */
const created = 1_626_777_600;

const permissions: ModelObject['permission'] = [
  {
    id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ',
    object: 'model_permission',
    created,
    allow_create_engine: true,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: '*',
    group: null,
    is_blocking: false,
  },
];

/** Describes a model as GET /v1/models and GET /api/channel/models do; `custom` is the owner of unknown names. */
export const describeModel = (id: string, ownedBy = 'custom'): ModelObject => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy,
  permission: permissions,
  root: id,
  parent: null,
});

/** Built-in model lists (docs/compatibility.md#envelope-and-routes). */
export const modelApi = {
  /** Provider number → its built-in models, for "fill in the models" of the channel form. */
  byType: route('GET', '/api/models', {
    summary: { zh: '按渠道类型列出内置模型', en: 'List built-in models by kind of provider' },
    access: 'user',
    input: z.object({}),
    data: z.record(z.string(), z.array(z.string())),
  }),
};
