import { type JsonObject, parseObject, textOf } from '../../../../lib/json.ts';
import type { LocalTaskAnswer, TaskQuestion } from '../../../types/index.ts';
import { jsonAnswer } from './json-answer.ts';
import { dataUrl } from '../media.ts';
import { type Behaviour, behaviourOf, stageOf } from './behaviour.ts';
import { seedOf } from './seed.ts';

/** A song or lyrics; its id contains all of it. */
interface Song {
  id: string;
  begunAt: number;
  behaviour: Behaviour;
  action: string;
  seed: number;
  /** The requested title; '' if the song chooses one. */
  title: string;
}

const namePattern =
  /^song_([0-9a-z]{1,11})_(usual|slow|fail)_(MUSIC|LYRICS)_([0-9a-z]{1,7})(?:_([\w-]{1,160}))?$/;
/** The most bytes of a title in a name. */
const titleBytes = 96;
/** Each order produces two songs, as at Suno. */
const versions = 2;
/** Length of each sound. */
const seconds = 2;

/** Answers the calls below `/suno`. */
export function answerSong({ url, body }: TaskQuestion, nowMs: number): LocalTaskAnswer {
  const asked = parseObject(body ?? Buffer.alloc(0)) ?? {};
  const [, , call, action = ''] = new URL(url).pathname.split('/');
  if (call === 'submit') return submit(action, asked, nowMs);
  const ids = Array.isArray(asked.ids) ? asked.ids.map(textOf) : [];
  return taken(ids.flatMap((id) => taskOf(id, nowMs)));
}

const taken = (data: string | JsonObject[]): LocalTaskAnswer =>
  jsonAnswer(200, { code: 'success', message: '', data });

function submit(action: string, asked: JsonObject, nowMs: number): LocalTaskAnswer {
  const behaviour = behaviourOf(asked);
  if (behaviour === 'refuse')
    return jsonAnswer(400, { code: 'invalid', message: 'the sandbox plays a refusal', data: null });
  const seed = seedOf(textOf(asked.prompt), textOf(asked.gpt_description_prompt), textOf(asked.title));
  const title = Buffer.from(textOf(asked.title)).subarray(0, titleBytes).toString('base64url');
  const name = `song_${nowMs.toString(36)}_${behaviour}_${action}_${seed.toString(36)}`;
  return taken(title === '' ? name : `${name}_${title}`);
}

function taskOf(id: string, nowMs: number): JsonObject[] {
  const [, at = '', behaviour, action = '', seed = '', coded = ''] = namePattern.exec(id) ?? [];
  if (at === '') return [];
  const song: Song = {
    id,
    begunAt: parseInt(at, 36),
    behaviour: behaviour as Behaviour,
    action,
    seed: parseInt(seed, 36),
    // A title may have been cut within a character.
    title: Buffer.from(coded, 'base64url')
      .toString()
      .replace(/\uFFFD+$/, ''),
  };
  const stage = stageOf(song, nowMs);
  const shared = { task_id: id, action, submit_time: Math.floor(song.begunAt / 1_000) };
  if (stage.at === 'queued') return [{ ...shared, status: 'QUEUED', progress: '0%', data: null }];
  if (stage.at === 'made')
    return [{ ...shared, status: 'IN_PROGRESS', progress: `${stage.percent}%`, data: null }];
  if (stage.at === 'failed') {
    const reason = 'the sandbox plays a song that fails';
    return [{ ...shared, status: 'FAILURE', progress: '100%', fail_reason: reason, data: null }];
  }
  const data = action === 'LYRICS' ? lyricsOf(song) : clipsOf(song);
  return [{ ...shared, status: 'SUCCESS', progress: '100%', data }];
}

const titleOf = ({ seed, title }: Song): string => title || `Sandbox song ${seed % 1_000}`;

const clipsOf = (song: Song): JsonObject[] =>
  Array.from({ length: versions }, (_, version) => {
    const cover = dataUrl(`picture-${version + 1}.png`);
    return {
      id: `${song.id}_${version + 1}`,
      title: titleOf(song),
      status: 'complete',
      model_name: 'sandbox',
      audio_url: dataUrl(`song-${version + 1}.wav`),
      image_url: cover,
      image_large_url: cover,
      video_url: '',
      metadata: { duration: seconds, tags: 'sandbox', prompt: '' },
    };
  });

const lyricsOf = (song: Song): JsonObject => ({
  id: song.id,
  status: 'complete',
  title: titleOf(song),
  text: ['[Verse]', 'The gate stands open, nobody pays,', 'A sandbox hums through the sunny days.'].join(
    '\n',
  ),
});
