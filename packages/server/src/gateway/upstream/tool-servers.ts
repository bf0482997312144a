import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import { type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import { applyModelMapping } from '../../relay/outgoing.ts';
import { type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import { type Handshake, type ToolServerCall, ToolSession } from './tool-session.ts';

/** Lists and handshakes are asked for again after this time. */
const freshMs = 300_000;
/** A server that did not answer is not asked for its list again for this long. */
const failedMs = 15_000;
/** Time for one page of a list. */
const listMs = 10_000;
const maxPages = 20;
const maxTools = 1_000;
const maxServers = 1_000;

/** The tools of a server by their names here. */
type OfferedTools = ReadonlyMap<string, JsonObject>;

interface KnownList {
  tools: Promise<OfferedTools>;
  until: number;
}

/**
 * A name that every client takes: letters, digits, `_` and `-`, at most 64. The server's name is in it, because servers
 * have tools of equal names.
 */
export function offeredName(serverName: string, tool: string): string {
  const name = `${legal(serverName).slice(0, maxPrefix) || 'tools'}__${legal(tool)}`;
  return name.length <= maxName && legal(tool) === tool ? name : withDigest(name, tool);
}

const maxPrefix = 20;
const maxName = 64;
const digestDigits = 8;
const legal = (text: string): string => text.replace(/[^a-zA-Z0-9_-]+/g, '_');
/** Two names that become equal, or are cut, stay apart. */
const withDigest = (name: string, tool: string): string =>
  `${name.slice(0, maxName - digestDigits - 1)}_${sha256(tool).slice(0, digestDigits)}`;

/** Tool servers behind channels: their lists of tools, and sessions for calls. One for each process. */
export class ToolServers {
  private readonly deps: Pick<ToolServerCall, 'http'> & { clock: Clock };
  private readonly lists = new LRUCache<string, KnownList>({ max: maxServers });
  private readonly handshakes = new LRUCache<string, Handshake>({ max: maxServers, ttl: freshMs });

  constructor(deps: ToolServers['deps']) {
    this.deps = deps;
  }

  /** The tools that a channel's server lists, of the last minutes. Rejects with RelayError. */
  tools(channel: Channel): Promise<OfferedTools> {
    const { clock } = this.deps;
    const place = placeOf(channel);
    const known = this.lists.get(place);
    if (known && known.until > clock()) return known.tools;
    const list: KnownList = { tools: this.ask(channel), until: clock() + freshMs };
    this.lists.set(place, list);
    list.tools.catch(() => {
      list.until = Math.min(list.until, clock() + failedMs);
    });
    return list.tools;
  }

  /** The same, asked now. */
  listNow(channel: Channel): Promise<OfferedTools> {
    this.lists.delete(placeOf(channel));
    return this.tools(channel);
  }

  /**
   * The server's own name of a tool: the target of the channel's mapping, or else the tool with this name in its list.
   * Rejects if the server has none.
   */
  async ownName(channel: Channel, model: string): Promise<string> {
    const mapped = applyModelMapping(channel.modelMapping, model);
    if (mapped !== model) return mapped;
    const found =
      toolNamed(await this.tools(channel), model) ?? toolNamed(await this.listNow(channel), model);
    if (!found) throw refuse('tool_not_there', { tool: model });
    return textOf(found['name']);
  }

  /**
   * Runs work in a session of a channel's server. A server without sessions gets no second handshake; if it has begun to
   * want one, the work runs again, which is only done if nothing ran.
   */
  async inSession<Result>(
    call: Omit<ToolServerCall, 'http'>,
    work: (session: ToolSession) => Promise<Result>,
  ): Promise<Result> {
    const place = placeOf(call.channel);
    const known = this.handshakes.get(place);
    const session = await ToolSession.open({ ...call, http: this.deps.http }, known);
    if (!known && !session.handshake.hasSession) this.handshakes.set(place, session.handshake);
    try {
      return await work(session);
    } catch (error) {
      const isStale = known && error instanceof RelayError && isSessionWanted(error);
      if (!isStale) throw error;
      this.handshakes.delete(place);
    } finally {
      // The result does not wait for that.
      void session.close();
    }
    return this.inSession(call, work);
  }

  private ask(channel: Channel): Promise<OfferedTools> {
    return this.inSession({ channel, callerHeaders: {} }, async (session) => {
      const tools: JsonObject[] = [];
      let cursor = '';
      for (let page = 0; page < maxPages; page += 1) {
        const params = cursor === '' ? {} : { cursor };
        const answer = await session.request({ method: 'tools/list', params, timeoutMs: listMs });
        tools.push(...objectsIn(answer['tools']).filter((tool) => textOf(tool['name']) !== ''));
        cursor = textOf(answer['nextCursor']);
        if (cursor === '' || tools.length >= maxTools) break;
      }
      const { serverName } = session.handshake;
      return new Map(
        tools
          .slice(0, maxTools)
          .map((tool) => [offeredName(serverName, textOf(tool['name'])), session.withoutSecrets(tool)]),
      );
    });
  }
}

/** A tool by its name here or at its server. */
export const toolNamed = (tools: OfferedTools, name: string): JsonObject | undefined =>
  tools.get(name) ?? [...tools.values()].find((tool) => tool['name'] === name);

/** Refusals of a request without a session by a server that has sessions. */
const isSessionWanted = ({ status, blame, original }: RelayError): boolean =>
  (status === 400 || status === 404) && (blame === 'channel' || original === undefined);

/** Everything that decides which server answers, and as whom it sees us. */
const placeOf = ({ id, baseUrl, key, headerOverride, setting }: Channel): string =>
  sha256(JSON.stringify([id, baseUrl, key, headerOverride ?? null, setting.proxy]));
