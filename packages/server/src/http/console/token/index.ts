import { tokenApi } from '@tollgate/contract';
import type { Tokens } from '../../../services/people/tokens/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface TokenRouteDeps {
  tokens: Tokens;
}

/** A user's API keys; those of others do not exist for them (docs/compatibility.md#envelope-and-routes). */
export const tokenRoutes = ({ tokens }: TokenRouteDeps): MountedRoute[] =>
  implement(tokenApi, {
    list: ({ p, size, sort }, context) =>
      tokens.list(actorOf(context), { offset: p * size, limit: size, sort }),
    search: (query, context) => tokens.search(actorOf(context), query),
    get: ({ id }, context) => tokens.get(actorOf(context), id),
    create: (input, context) => tokens.create(actorOf(context), input, context.requestId),
    update: (change, context) =>
      change.status_only
        ? tokens.setStatus(actorOf(context), { id: change.id, status: change.status })
        : tokens.edit(actorOf(context), change, context.requestId),
    async remove({ id }, context) {
      await tokens.remove(actorOf(context), id);
      return null;
    },
  });
