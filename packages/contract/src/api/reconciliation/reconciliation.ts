import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import {
  comparedReport,
  csvMapping,
  fetchedSources,
  maxCsvHead,
  maxCsvText,
  reportChannels,
  usageFetch,
  usageReport,
} from './usage-report.ts';
import { meanings } from '../../meanings.ts';

const id = whole(1, Number.MAX_SAFE_INTEGER);
const fetchId = z.string().min(1).max(64);

/** Compares a vendor's usage with our records, by day and model. Only for root, like all costs. A Tollgate extension. */
export const reconciliationApi = {
  channels: route('GET', '/api/reconciliation/channels', {
    summary: {
      zh: '列出渠道及其对账设置（不含密钥）',
      en: 'List the channels, and how the usage of each is read; without keys',
    },
    access: 'root',
    input: z.object({}),
    data: z.array(
      z.object({
        id: z.number().int().meta(meanings.channelId),
        name: z.string().meta(meanings.channelName),
        source: z.enum(['', ...fetchedSources]).meta(meanings.source),
        has_key: z.boolean().meta({ zh: '已保存管理密钥', en: 'True when an admin key is stored' }),
        mapping: csvMapping.nullable().meta({ zh: '各列的含义', en: 'Which column has what' }),
      }),
    ),
  }),
  saveKey: route('PUT', '/api/reconciliation/key', {
    summary: {
      zh: '保存或删除读取厂商用量的管理密钥',
      en: 'Keep the administration key that reads a vendor’s usage; an empty one is forgotten',
    },
    audit: 'channel.report_key',
    access: 'root',
    errors: ['channel_not_found'],
    example: { channel: 1, key: 'sk-admin-example' },
    reauthenticate: 'with-factor',
    demo: false,
    input: z.object({
      channel: id.meta(meanings.channelId),
      key: z.string().trim().max(4_096).meta({ zh: '供应商的管理密钥', en: 'Admin key of the vendor' }),
    }),
    data: z.null(),
  }),
  fetch: route('POST', '/api/reconciliation/fetch', {
    summary: { zh: '开始读取厂商的用量和费用', en: 'Begin to read a vendor’s usage and costs' },
    audit: 'reconciliation.fetch',
    access: 'root',
    errors: ['report_key_missing', 'report_span', 'report_running', 'channel_not_found'],
    example: { source: 'openai', channels: [1], days: 7 },
    demo: false,
    input: z.object({
      source: z.enum(fetchedSources).meta(meanings.source),
      channels: reportChannels.meta(meanings.channelIds),
      days: whole(1, 92).default(7).meta(meanings.days),
      /** Unix seconds. Both days (UTC) are included. `start` 0 uses `days`; `end` 0 means today. */
      start: whole(0, 100_000_000_000)
        .default(0)
        .meta({ zh: '开始时间，Unix 秒', en: 'Start, Unix seconds' }),
      end: whole(0, 100_000_000_000).default(0).meta({ zh: '结束时间，Unix 秒', en: 'End, Unix seconds' }),
    }),
    data: z.object({ id: z.string().meta(meanings.readingId) }),
  }),
  progress: route('GET', '/api/reconciliation/fetch/:fetch', {
    summary: { zh: '读取进度', en: 'Read how far it is' },
    access: 'root',
    errors: ['row_not_found'],
    example: { fetch: 'example-fetch' },
    input: z.object({ fetch: fetchId.meta(meanings.readingId) }),
    data: usageFetch,
  }),
  stop: route('DELETE', '/api/reconciliation/fetch/:fetch', {
    summary: { zh: '停止读取', en: 'Stop it; nothing of it is kept' },
    access: 'root',
    errors: ['row_not_found'],
    example: { fetch: 'example-fetch' },
    input: z.object({ fetch: fetchId.meta(meanings.readingId) }),
    data: z.null(),
  }),
  preview: route('POST', '/api/reconciliation/preview', {
    summary: { zh: '预览 CSV 文件的开头', en: 'Look at the beginning of a CSV file' },
    access: 'root',
    example: { text: 'date,model,cost\n2026-01-02,gpt-4o,0.25\n' },
    input: z.object({
      text: z.string().max(maxCsvHead).meta({ zh: '文件的内容', en: 'Text of the file' }),
      delimiter: csvMapping.shape.delimiter.meta({ zh: '分隔符', en: 'Character between columns' }),
      header: csvMapping.shape.header.meta(meanings.header),
    }),
    /** Names or numbers of the columns, the first rows, and the reason why the file cannot be read ('' for none). */
    data: z.object({
      columns: z.array(z.string()).meta({ zh: '列名', en: 'Names of the columns' }),
      rows: z.array(z.array(z.string())).meta(meanings.rows),
      problem: z
        .string()
        .meta({ zh: '无法读取的原因；没有时为空', en: 'Why it cannot be read; empty when it can' }),
    }),
  }),
  upload: route('POST', '/api/reconciliation/upload', {
    summary: { zh: '导入厂商用量 CSV', en: 'Take a vendor’s usage from a CSV file' },
    audit: 'reconciliation.upload',
    access: 'root',
    errors: ['channel_not_found', 'report_csv'],
    example: {
      channels: [1],
      name: 'usage.csv',
      text: 'date,model,cost\n2026-01-02,gpt-4o,0.25\n',
      mapping: { date: 'date', model: 'model', cost: 'cost' },
    },
    demo: false,
    input: z.object({
      channels: reportChannels.meta(meanings.channelIds),
      name: z.string().max(255).default('').meta({ zh: '文件名', en: 'Name of the file' }),
      text: z.string().min(1).max(maxCsvText).meta({ zh: '文件的内容', en: 'Text of the file' }),
      mapping: csvMapping,
    }),
    data: z.object({ id: z.number().int().meta({ zh: '报告 ID', en: 'Id of the report' }) }),
  }),
  list: route('GET', '/api/reconciliation/', {
    summary: { zh: '列出已导入的用量报告', en: 'List the reports that are kept' },
    access: 'root',
    input: z.object({}),
    data: z.array(usageReport),
  }),
  compare: route('GET', '/api/reconciliation/:report', {
    summary: {
      zh: '按日期和模型比较厂商用量与本站账目',
      en: 'Compare a report with our books by day and model',
    },
    access: 'root',
    errors: ['row_not_found'],
    example: { report: 1 },
    input: z.object({
      report: id.meta({ zh: '报告的 ID', en: 'Id of the report' }),
      tolerance: z.coerce
        .number()
        .min(0)
        .max(100)
        .default(0.5)
        .meta({ zh: '可接受的差异，百分比', en: 'Per cent by which figures may differ' }),
    }),
    data: comparedReport,
  }),
  remove: route('DELETE', '/api/reconciliation/:report', {
    summary: { zh: '删除用量报告', en: 'Delete a report' },
    audit: 'reconciliation.delete',
    access: 'root',
    errors: ['row_not_found'],
    example: { report: 1 },
    demo: false,
    input: z.object({ report: id.meta({ zh: '报告的 ID', en: 'Id of the report' }) }),
    data: z.null(),
  }),
};
