import { tokenApi } from '@tollgate/contract';
import type { Tokens } from '../../../services/people/tokens/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface TokenRouteDeps {
  tokens: Tokens;
}

/** A user's API keys; those of others do not exist for them (docs/compatibility.md#envelope-and-routes). */
export const tokenRoutes = ({ tokens }: TokenRouteDeps): MountedRoute[] =>
  implement(tokenApi, {
    list: ({ p, size, sort }, context) =>
      tokens.list(requireActor(context), { offset: p * size, limit: size, sort }),
    search: (query, context) => tokens.search(requireActor(context), query),
    get: ({ id }, context) => tokens.get(requireActor(context), id),
    create: (input, context) => tokens.create(requireActor(context), input, context.requestId),
    update: (change, context) =>
      change.status_only
        ? tokens.setStatus(requireActor(context), { id: change.id, status: change.status })
        : tokens.edit(requireActor(context), change, context.requestId),
    async remove({ id }, context) {
      await tokens.remove(requireActor(context), id);
      return null;
    },
  });
