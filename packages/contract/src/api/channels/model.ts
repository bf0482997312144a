import { z } from 'zod';
import { route } from '../../route.ts';
import { meanings } from '../../meanings.ts';

const permission = z.object({
  id: z.string().meta({ zh: '权限记录的 ID', en: 'Id of the permission' }),
  object: z.literal('model_permission').meta({ zh: '对象的种类', en: 'Kind of the object' }),
  created: z.number().int().meta(meanings.seconds),
  allow_create_engine: z.boolean().meta(meanings.constant),
  allow_sampling: z.boolean().meta(meanings.constant),
  allow_logprobs: z.boolean().meta(meanings.constant),
  allow_search_indices: z.boolean().meta(meanings.constant),
  allow_view: z.boolean().meta(meanings.constant),
  allow_fine_tuning: z.boolean().meta(meanings.constant),
  organization: z.string().meta({ zh: '总为 *', en: 'Always `*`', example: '*' }),
  group: z.null().meta({ ...meanings.group, example: null }),
  is_blocking: z.boolean().meta(meanings.constant),
});

/** A model in OpenAI's list form (docs/compatibility.md#default-model-lists). */
export const modelObject = z.object({
  id: z.string().meta(meanings.model),
  object: z.literal('model').meta({ zh: '对象的种类', en: 'Kind of the object' }),
  created: z.number().int().meta(meanings.seconds),
  owned_by: z.string().meta({ zh: '供应商', en: 'Owner of the model', example: 'openai' }),
  permission: z.array(permission).meta({ zh: '权限，供旧客户端使用', en: 'Permissions, for older clients' }),
  root: z.string().meta(meanings.model),
  parent: z.null().meta({ zh: '总为 null', en: 'Always null' }),
});
export type ModelObject = z.output<typeof modelObject>;

/** Fixed date of all models (docs/compatibility.md#default-model-lists). Clients use it only for sorting. */
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
