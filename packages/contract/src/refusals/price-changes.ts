/** Refusals of rehearsals of prices. */
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
} as const;
