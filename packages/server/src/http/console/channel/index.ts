import {
  AppError,
  channelApi,
  type ChannelTypeData,
  defaultNames,
  type ModelObject,
} from '@tollgate/contract';
import type { Probe } from '../../../gateway/index.ts';
import type { Channels } from '../../../services/calls/channels/index.ts';
import type { Routing } from '../../../services/calls/routing/index.ts';
import { type Handlers, implement, type MountedRoute } from '../../implement.ts';
import { probeHandlers } from './probe.ts';

export interface ChannelRouteDeps {
  channels: Channels;
  routing: Pick<Routing, 'models'>;
  probe: Probe;
  /** The kinds of providers, from the relay's registry. */
  types: readonly ChannelTypeData[];
  /** All models of all providers, described once. */
  models: readonly ModelObject[];
}

type ChannelHandlers = Handlers<typeof channelApi>;

const listHandlers = ({ channels, routing, types, models }: ChannelRouteDeps) =>
  ({
    async list(query) {
      const { items, total } = await channels.list({
        page: query.p,
        pageSize: query.page_size,
        byId: query.id_sort,
        byTag: query.tag_mode,
        sort: query.sort,
      });
      return { data: items, extra: { total } };
    },
    search: ({ keyword, group, model, status, id_sort, tag_mode, sort }) =>
      channels.search({ keyword, group, model, status, byId: id_sort, byTag: tag_mode, sort }),
    types: () => [...types],
    models: () => [...models],
    enabledModels: () => [...routing.models()],
    get: ({ id }) => channels.get(id),
  }) satisfies Partial<ChannelHandlers>;

const changeHandlers = ({ channels }: ChannelRouteDeps) =>
  ({
    create: (input) => channels.create(input),
    update: (change) => channels.update(change),
    copy: async ({ id, suffix, reset_balance }, { language }) => ({
      id: await channels.copy(id, {
        suffix: suffix ?? defaultNames.copySuffix[language],
        resetBalance: reset_balance,
      }),
    }),
    async remove({ id }) {
      if ((await channels.remove([id])) === 0) throw new AppError('channel_not_found');
      return null;
    },
    removeDisabled: () => channels.removeDisabled(),
    removeMany: ({ ids }) => channels.remove(ids),
    tagMany: ({ ids, tag }) => channels.setTag(ids, tag === '' ? null : tag),
    async enableTag({ tag }) {
      await channels.setTagStatus(tag, true);
      return null;
    },
    async disableTag({ tag }) {
      await channels.setTagStatus(tag, false);
      return null;
    },
    async editTag(input) {
      await channels.editTag({
        tag: input.tag,
        newTag: input.new_tag ?? undefined,
        priority: input.priority ?? undefined,
        weight: input.weight ?? undefined,
        // An empty text means "leave it" here, as the tag form sends every field.
        modelMapping: input.model_mapping || undefined,
        models: input.models || undefined,
        groups: input.groups || undefined,
      });
      return null;
    },
    fix: () => channels.fix(),
  }) satisfies Partial<ChannelHandlers>;

/** Channel calls. */
export const channelRoutes = (deps: ChannelRouteDeps): MountedRoute[] =>
  implement(channelApi, { ...listHandlers(deps), ...changeHandlers(deps), ...probeHandlers(deps.probe) });
