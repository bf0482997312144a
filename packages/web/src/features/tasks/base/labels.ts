import { texts, type Text } from '../../../lib/i18n.ts';
import type { Tone } from '../../../ui/tag.tsx';

/** The label of a wire value. */
export interface Word {
  word: Text;
  tone: Tone;
}

const text = texts({
  unknown: { zh: '未知', en: 'Unknown' },
  imagine: { zh: '绘图', en: 'Imagine' },
  upscale: { zh: '放大', en: 'Upscale' },
  video: { zh: '视频', en: 'Video' },
  edits: { zh: '编辑', en: 'Edit' },
  variation: { zh: '变换', en: 'Variation' },
  highVariation: { zh: '强变换', en: 'Strong variation' },
  lowVariation: { zh: '弱变换', en: 'Subtle variation' },
  pan: { zh: '平移', en: 'Pan' },
  describe: { zh: '图生文', en: 'Describe' },
  blend: { zh: '图混合', en: 'Blend' },
  upload: { zh: '上传文件', en: 'Upload' },
  shorten: { zh: '缩词', en: 'Shorten' },
  reroll: { zh: '重绘', en: 'Reroll' },
  inpaint: { zh: '局部重绘', en: 'Inpaint' },
  zoom: { zh: '变焦', en: 'Zoom' },
  customZoom: { zh: '自定义变焦', en: 'Custom zoom' },
  modal: { zh: '窗口处理', en: 'Modal' },
  swapFace: { zh: '换脸', en: 'Face swap' },
  music: { zh: '生成音乐', en: 'Music' },
  lyrics: { zh: '生成歌词', en: 'Lyrics' },
  fromImage: { zh: '图生视频', en: 'Image to video' },
  fromText: { zh: '文生视频', en: 'Text to video' },
  firstTail: { zh: '首尾帧生视频', en: 'First and last frame' },
  reference: { zh: '参考图生视频', en: 'Reference to video' },
  remix: { zh: '视频改编', en: 'Remix' },
  batch: { zh: '批量任务', en: 'Batch' },
  notStart: { zh: '未启动', en: 'Not started' },
  inQueue: { zh: '队列中', en: 'In queue' },
  queued: { zh: '排队中', en: 'Queued' },
  inProgress: { zh: '执行中', en: 'In progress' },
  success: { zh: '成功', en: 'Done' },
  failure: { zh: '失败', en: 'Failed' },
  window: { zh: '窗口等待', en: 'Waiting for a window' },
  submitting: { zh: '正在提交', en: 'Submitting' },
  submitted: { zh: '已提交', en: 'Submitted' },
  waiting: { zh: '等待中', en: 'Waiting' },
  repeated: { zh: '重复提交', en: 'Duplicate' },
  notSubmitted: { zh: '未提交', en: 'Not submitted' },
});

const unknown: Word = { word: text.unknown, tone: 'neutral' };

const actions: Readonly<Record<string, Text>> = {
  IMAGINE: text.imagine,
  UPSCALE: text.upscale,
  VIDEO: text.video,
  EDITS: text.edits,
  VARIATION: text.variation,
  HIGH_VARIATION: text.highVariation,
  LOW_VARIATION: text.lowVariation,
  PAN: text.pan,
  DESCRIBE: text.describe,
  BLEND: text.blend,
  UPLOAD: text.upload,
  SHORTEN: text.shorten,
  REROLL: text.reroll,
  INPAINT: text.inpaint,
  ZOOM: text.zoom,
  CUSTOM_ZOOM: text.customZoom,
  MODAL: text.modal,
  SWAP_FACE: text.swapFace,
  MUSIC: text.music,
  LYRICS: text.lyrics,
  generate: text.fromImage,
  textGenerate: text.fromText,
  firstTailGenerate: text.firstTail,
  referenceGenerate: text.reference,
  remixGenerate: text.remix,
  openai: { zh: 'OpenAI', en: 'OpenAI' },
  anthropic: { zh: 'Anthropic', en: 'Anthropic' },
};

/** Labels of actions. */
export const actionLabel = (action: string): Text => actions[action] ?? text.unknown;

/** States; those in the filter come first. */
export const statuses: Readonly<Record<string, Word>> = {
  NOT_START: { word: text.notStart, tone: 'neutral' },
  SUBMITTED: { word: text.inQueue, tone: 'warn' },
  QUEUED: { word: text.queued, tone: 'warn' },
  IN_PROGRESS: { word: text.inProgress, tone: 'info' },
  SUCCESS: { word: text.success, tone: 'good' },
  FAILURE: { word: text.failure, tone: 'bad' },
};
const rareStatuses: Readonly<Record<string, Word>> = {
  MODAL: { word: text.window, tone: 'orange' },
  '': { word: text.submitting, tone: 'neutral' },
};

export const statusLabel = (status: string): Word => statuses[status] ?? rareStatuses[status] ?? unknown;

const codes: Readonly<Record<number, Word>> = {
  0: { word: text.notSubmitted, tone: 'neutral' },
  1: { word: text.submitted, tone: 'good' },
  21: { word: text.waiting, tone: 'lime' },
  22: { word: text.repeated, tone: 'orange' },
};

/** The vendor's answer to the submission of a drawing. */
export const codeLabel = (code: number): Word => codes[code] ?? unknown;

/** Platforms are proper names, except those of videos and batches. */
export const platformLabel = (platform: string): Text => {
  if (platform === 'suno') return { zh: 'Suno', en: 'Suno' };
  if (platform === 'batch') return text.batch;
  return platform === 'video' ? text.video : text.unknown;
};
