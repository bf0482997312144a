import type { IncomingHttpHeaders } from 'node:http';
import { type Json, type JsonObject, parseObject, textOf } from '../../../lib/json.ts';
import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json } from '../fake-upstream-scripts.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream.ts';

/** A video that a vendor was asked for. A test moves it on by hand. */
export interface VideoJob {
  id: string;
  model: string;
  /** 0 where the request did not say. */
  seconds: number;
  /** The first frame, as the request has it; '' for none. */
  picture: string;
  state: 'waiting' | 'running' | 'done' | 'failed';
}

/** The videos of one vendor. */
class VideoJobs {
  readonly all: VideoJob[] = [];

  /** Takes a new one, whose name begins as the vendor's names do. */
  take(prefix: string, model: string, seconds: Json | undefined, picture: Json | undefined): VideoJob {
    const id = `${prefix}${1_000 + this.all.length}`;
    const job: VideoJob = {
      id,
      model,
      seconds: Number(seconds ?? 0),
      picture: textOf(picture),
      state: 'waiting',
    };
    this.all.push(job);
    return job;
  }

  find = (id: string | null | undefined): VideoJob | undefined => this.all.find((job) => job.id === id);

  get newest(): VideoJob {
    const job = this.all.at(-1);
    if (!job) throw new Error('no video was asked for');
    return job;
  }
}

/** A request to a vendor. */
export interface Asked {
  /** Method and path, without the query. */
  call: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: JsonObject;
  bytes: Buffer;
  /** Where the vendor is, without a slash at the end. */
  origin: string;
  jobs: VideoJobs;
}

/** What a vendor answers: JSON, the bytes of a video, or the way to them. */
export type Answer = { status: number; body: object } | 'video' | { location: string };

/** A vendor of videos as its documents tell it: what it takes, and how it refuses everything else. */
export type VideoMaker = (asked: Asked) => Answer | Promise<Answer>;

/** The bytes of each video. */
export const videoBytes = Buffer.from('a video of ten seconds');

/** A vendor on a port of its own. */
export interface VideoFarSide extends FakeUpstream {
  jobs: VideoJobs;
}

/** Starts a vendor; `before` stands between the network and it. */
export async function startVideoMaker(
  maker: VideoMaker,
  before: (answer: Behaviour) => Behaviour = (answer) => answer,
): Promise<VideoFarSide> {
  const jobs = new VideoJobs();
  const answer: Behaviour = async (exchange) => say(exchange, await maker(readAsked(exchange, jobs)));
  const upstream = await startFakeUpstream(before(answer));
  return Object.assign(upstream, { jobs });
}

/** Where a vendor puts a finished video for everybody who knows the address, and the call that fetches it. */
export const videoAt = ({ origin }: Pick<Asked, 'origin'>, { id }: VideoJob): string =>
  `${origin}/videos/${id}.mp4?sign=ed`;

function readAsked(exchange: FakeExchange, jobs: VideoJobs): Asked {
  const { method, headers, body: bytes } = exchange;
  const origin = `http://${headers.host ?? ''}`;
  const { pathname, searchParams } = new URL(exchange.path, origin);
  const body = parseObject(bytes) ?? {};
  return { call: `${method} ${pathname}`, query: searchParams, headers, body, bytes, origin, jobs };
}

async function say(exchange: FakeExchange, answer: Answer): Promise<void> {
  if (answer === 'video') return sendVideo(exchange);
  if ('body' in answer) return json(answer.body, answer.status)(exchange);
  exchange.head(302, { location: answer.location, 'content-length': 0 });
  await exchange.end();
}

/** The whole video, or the part that is asked for. */
async function sendVideo(exchange: FakeExchange): Promise<void> {
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(exchange.headers.range ?? '') ?? [];
  const part = from === '' ? videoBytes : videoBytes.subarray(Number(from), Number(to) + 1);
  exchange.head(from === '' ? 200 : 206, {
    'content-type': 'video/mp4',
    'content-length': part.length,
    ...(from !== '' && { 'content-range': `bytes ${from}-${to}/${videoBytes.length}` }),
  });
  await exchange.end(part);
}

/** Serves what `videoAt` names, as stores of signed addresses do: a key beside the signature is refused. */
export function publicVideo({ call, headers, query, jobs }: Asked): Answer | undefined {
  const [, id] = /^GET \/videos\/([\w-]+)\.mp4$/.exec(call) ?? [];
  if (id === undefined) return undefined;
  const error = (status: number, code: string): Answer => ({ status, body: { error: { code } } });
  if (jobs.find(id)?.state !== 'done') return error(404, 'NoSuchKey');
  if (query.get('sign') !== 'ed') return error(403, 'AccessDenied');
  return headers.authorization === undefined ? 'video' : error(400, 'InvalidArgument');
}
