import { texts } from '../../lib/i18n.ts';

export const text = texts({
  view: { zh: '视图与列', en: 'Views and columns' },
  saveView: { zh: '保存当前视图', en: 'Save this view' },
  removeView: { zh: '删除视图“{name}”', en: 'Remove view “{name}”' },
  viewName: { zh: '名称', en: 'Name' },
  viewHint: {
    zh: '保存当前的筛选和排序，仅在此设备上。',
    en: 'Keeps the filters and the order, on this device.',
  },
  save: { zh: '保存', en: 'Save' },
  resetColumns: { zh: '恢复默认列', en: 'Reset columns' },
  selectAll: { zh: '选择本页全部', en: 'Select all on this page' },
  selectRow: { zh: '选择此行', en: 'Select row' },
  expand: { zh: '展开', en: 'Expand' },
  fold: { zh: '收起', en: 'Collapse' },
  range: { zh: '第 {start}-{end} 条，共 {total} 条', en: 'Items {start}-{end} of {total}' },
  rangeAtLeast: { zh: '第 {start}-{end} 条，共 {total}+ 条', en: 'Items {start}-{end} of {total}+' },
  rangeOpen: { zh: '第 {start}-{end} 条', en: 'Items {start}-{end}' },
  pageSize: { zh: '每页条数', en: 'Rows per page' },
  perPage: { zh: '{count} 条/页', en: '{count} / page' },
  previous: { zh: '上一页', en: 'Previous page' },
  next: { zh: '下一页', en: 'Next page' },
  page: { zh: '第 {page} 页', en: 'Page {page}' },
  pastEnd: { zh: '第 {page} 页没有内容', en: 'Page {page} has no rows' },
  pages: { zh: '分页', en: 'Pages' },
  loading: { zh: '正在加载', en: 'Loading' },
});
