/** One model as `/v1/models` lists it (docs/compatibility.md#default-model-lists, "Model object"). */
export interface ModelObject {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  permission: readonly object[];
  root: string;
  parent: null;
}

/** The fixed creation time the original gives every model. */
const created = 1_626_777_600;

const permission = [
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
] as const;

/** Describes a model; names that no provider lists belong to `custom`. */
export const modelObject = (id: string, ownedBy: ReadonlyMap<string, string>): ModelObject => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy.get(id) ?? 'custom',
  permission,
  root: id,
  parent: null,
});
