import { texts } from '../../../lib/i18n.ts';

/** The version and the upgrade steps: the short form of docs/how-to/upgrade.md. */
export const versionText = texts({
  version: { zh: '当前版本', en: 'Current version' },
  startedAt: { zh: '启动时间', en: 'Started' },
  off: {
    zh: '检查新版本已关闭：本站不会向任何地址查询。',
    en: 'Update checks are off: this site contacts no address.',
  },
  newer: { zh: '有新版本 {version}', en: 'Version {version} is available' },
  newest: { zh: '已是最新版本（{version}）', en: 'This is the newest version ({version})' },
  askFailed: {
    zh: '检查更新失败，请稍后再试',
    en: 'The update check failed; try again later',
  },
  askedAt: {
    zh: '查询时间：{time}，经服务器 IP',
    en: 'Checked {time} from the server’s IP',
  },
  askAgain: { zh: '重新检查', en: 'Check again' },
  releasePage: { zh: '发布页面', en: 'Release page' },
  how: { zh: '更新方法：在安装目录中运行', en: 'To update, run in the installation folder' },
  code: { zh: '更新命令', en: 'Commands to update' },
  backup: {
    zh: '先备份：数据库结构只会升级，不能退回；旧版本不会在新的结构上启动。',
    en: 'Make a backup first: the database schema is only ever upgraded, and an older version does not start on a newer schema.',
  },
  drain: {
    zh: '停止时会先完成进行中的请求（最长 DRAIN_SECONDS）；已交付的内容照常计费。',
    en: 'On stop, running requests are finished first (for DRAIN_SECONDS at most); what was delivered is charged.',
  },
  several: {
    zh: '有多个进程时，逐个停止并启动。',
    en: 'With several processes, stop and start one after the other.',
  },
  more: { zh: '完整说明：{file}', en: 'Full instructions: {file}' },
});
