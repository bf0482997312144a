import {
  AppError,
  channelApi,
  findFacts,
  listPrice,
  replacementApi,
  routingApi,
  type ChannelKeysPage,
  channelStatus,
  type ChannelTypeData,
  defaultNames,
  role,
  trafficApi,
  type ModelObject,
} from '@tollgate/contract';
import { type ExplainDeps, explainQuestion, type Probe } from '../../../gateway/index.ts';
import type { Channels, ManagedKey } from '../../../services/calls/channels/index.ts';
import type { Pricing } from '../../../services/money/pricing/index.ts';
import type { Routing } from '../../../services/calls/routing/index.ts';
import type { Traffic } from '../../../services/calls/traffic/index.ts';
import { requireActor } from '../../context.ts';
import { type Handlers, implement, type MountedRoute } from '../../implement.ts';
import { probeHandlers } from './probe.ts';

export interface ChannelRouteDeps {
  channels: Channels;
  routing: Pick<Routing, 'models' | 'health'>;
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

const changeHandlers = ({ channels, routing }: ChannelRouteDeps) =>
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
        // An empty text means "unchanged" here, because the tag form sends every field.
        modelMapping: input.model_mapping || undefined,
        models: input.models || undefined,
        groups: input.groups || undefined,
      });
      return null;
    },
    async manageKeys({ channel_id: id, action, ...asked }) {
      if (action === 'get_key_status') return keysPage(await channels.listKeys(id), routing, asked);
      const changed = await channels.manageKeys(id, action, {
        index: asked.key_index ?? undefined,
        id: asked.key_ref ?? undefined,
        limits: asked.limits ?? undefined,
      });
      return action === 'delete_disabled_keys' ? changed : null;
    },
    fix: () => channels.fix(),
  }) satisfies Partial<ChannelHandlers>;

/** A page of keys; with a state, only keys in it. */
function keysPage(
  keys: readonly ManagedKey[],
  { health }: Pick<Routing, 'health'>,
  asked: {
    page?: number | null | undefined;
    page_size?: number | null | undefined;
    status?: number | null | undefined;
  },
): ChannelKeysPage {
  const page = asked.page ?? 1;
  const size = asked.page_size ?? defaultKeysPage;
  const found = asked.status ? keys.filter(({ status }) => status === asked.status) : keys;
  const countOf = (wanted: number) => keys.filter(({ status }) => status === wanted).length;
  return {
    keys: found.slice((page - 1) * size, page * size).map((key) => ({
      index: key.index,
      id: key.id,
      status: key.status,
      disabled_time: key.status === channelStatus.enabled ? 0 : key.changedAt,
      reason: key.reason,
      key_preview: key.hint,
      uses: key.uses,
      limits: key.limits,
      cooldown_until: Math.ceil(health.cooldownUntil(key.id) / 1_000),
    })),
    total: found.length,
    page,
    page_size: size,
    total_pages: Math.ceil(found.length / size),
    enabled_count: countOf(channelStatus.enabled),
    manual_disabled_count: countOf(channelStatus.disabled),
    auto_disabled_count: countOf(channelStatus.autoDisabled),
  };
}

const defaultKeysPage = 50;

/** Channel calls. */
export const channelRoutes = (deps: ChannelRouteDeps): MountedRoute[] =>
  implement(channelApi, { ...listHandlers(deps), ...changeHandlers(deps), ...probeHandlers(deps.probe) });

/** Calls that replace a retiring model. */
export const replacementRoutes = ({
  channels,
  pricing,
}: {
  channels: Pick<Channels, 'withRetiring' | 'replaceModel'>;
  pricing: Pick<Pricing, 'pricingList'>;
}): MountedRoute[] => {
  const priceOf = (model: string) => pricing.pricingList([{ model, group: 'default' }])[0]!;
  return implement(replacementApi, {
    async find({ model, by }) {
      const found = await channels.withRetiring(model);
      const upstream = [...new Set(found.map((each) => each.upstream))];
      const successor = upstream.flatMap((name) => findFacts(name)?.successor ?? [])[0] ?? '';
      const name = by.trim() || successor;
      const listed = [...upstream, ...(name === '' ? [] : [name])].flatMap((each) => {
        const price = listPrice(each);
        return price ? [{ model: each, input: price.input, output: price.output ?? null }] : [];
      });
      return {
        successor,
        channels: found,
        prices: { model: priceOf(model), by: name === '' ? null : priceOf(name) },
        list_prices: listed,
      };
    },
    replace: ({ model, channels: changes }) => channels.replaceModel(model, changes),
  });
};

/** Calls about the choice of channels in the past. Only root sees costs. */
export const trafficRoutes = (traffic: Traffic): MountedRoute[] =>
  implement(trafficApi, {
    past: (asked) => traffic.past(asked),
    start: (input) => ({ id: traffic.start(input) }),
    get: ({ replay }, context) => traffic.state(replay, requireActor(context).role >= role.root),
    stop({ replay }) {
      traffic.stop(replay);
      return null;
    },
  });

/** Calls that explain the choice of channels. */
export const routingRoutes = (deps: ExplainDeps): MountedRoute[] =>
  implement(routingApi, {
    explain: (input, { language }) => explainQuestion(deps, input, language),
  });
