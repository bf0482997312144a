import { describeModel, type ModelObject } from '@tollgate/contract';
/** Describes a model; names that no provider lists belong to `custom`. */
export const modelObject = (id: string, ownedBy: ReadonlyMap<string, string>): ModelObject =>
  describeModel(id, ownedBy.get(id));
