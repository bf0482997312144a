/** Refusals of rehearsals of prices, and of corrections of past charges. */
export const priceChangeErrors = {
  rehearsal_running: {
    status: 200,
    zh: '已有一个价格试算正在进行，请等待它结束或先停止它',
    en: 'Another rehearsal of prices is running: wait for its end or stop it first',
  },
  rehearsal_gone: {
    status: 200,
    zh: '试算不存在，或其结果已过期，请重新试算',
    en: 'There is no such rehearsal, or its outcome was dropped: please start it again',
  },
  rehearsal_not_done: {
    status: 200,
    zh: '试算尚未完成',
    en: 'The rehearsal has not ended yet',
  },
  rehearsal_not_a_price: {
    status: 200,
    zh: '选项 {key} 不影响价格，不能试算',
    en: 'No price depends on the option {key}: it cannot be rehearsed',
  },
  rehearsal_span: {
    status: 200,
    zh: '结束时间早于开始时间',
    en: 'The span of time ends before it begins',
  },
  rerating_running: {
    status: 200,
    zh: '已有一次收费更正正在进行，请等待它结束',
    en: 'Another correction of charges is under way: wait for its end',
  },
  rerating_not_found: {
    status: 200,
    zh: '收费更正不存在',
    en: 'There is no such correction of charges',
  },
  rerating_not_running: {
    status: 200,
    zh: '这次更正没有在进行',
    en: 'This correction is not running',
  },
  rerating_not_ended: {
    status: 200,
    zh: '只能撤销已结束且未撤销的更正',
    en: 'Only a correction that has ended and was not undone can be undone',
  },
  rerating_overlaid: {
    status: 200,
    zh: '之后的更正改动了相同的收费，请先撤销它们',
    en: 'A later correction changed the same charges: undo that one first',
  },
} as const;
