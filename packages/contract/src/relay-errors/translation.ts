/** A request that a channel cannot carry without a change of meaning. Another channel may work. */
const unsuited = <Zh extends string, En extends string>(zh: Zh, en: En) =>
  ({ status: 400, blame: 'caller', code: 'cannot_translate', zh, en }) as const;

/** Errors of requests that a channel's protocol cannot express or its provider cannot fulfil. */
export const translationErrors = {
  cannot_translate: unsuited(
    '该渠道使用 {protocol} 协议，其中无法表达：{what}',
    'this channel speaks {protocol}, in which {what} cannot be said',
  ),
  tokens_not_embedded: unsuited(
    '该渠道使用 {protocol} 协议，不能对 token 数组做嵌入',
    'this channel speaks {protocol}, in which tokens cannot be embedded',
  ),
  pictures_not_reranked: unsuited(
    '该渠道使用 {protocol} 协议，不能对图片重排序',
    'this channel speaks {protocol}, in which pictures cannot be reranked',
  ),
  texts_reranked_alone: unsuited('{provider} 只能对文本重排序', '{provider} reranks texts alone'),
  one_embedding_at_once: unsuited(
    '{model} 在该渠道上一次只能嵌入一段文本',
    '{model} embeds one text at a time on this channel',
  ),
  images_not_streamed: unsuited('{provider} 不支持以流的方式返回图片', '{provider} does not stream images'),
  images_not_edited: unsuited(
    '{provider} 只能生成新图片，不能编辑图片',
    '{provider} makes new images and edits none',
  ),
  one_image_at_once: unsuited('{provider} 一次最多生成一张图片', '{provider} makes at most 1 image at once'),
  too_many_images_at_once: unsuited(
    '{provider} 一次最多生成 {most} 张图片',
    '{provider} makes at most {most} images at once',
  ),
  images_as_series_alone: unsuited(
    '{provider} 只能以组图的方式生成多张图片',
    '{provider} makes several images as a series alone',
  ),
  too_many_images_edited: unsuited(
    '{provider} 一次最多编辑 {most} 张图片',
    '{provider} edits at most {most} images at once',
  ),
  masks_not_supported: unsuited(
    '该渠道只能编辑整张图片，不支持 mask',
    'this provider edits whole images, without a mask',
  ),
  foreign_images: unsuited(
    '保存在 OpenAI 的图片不能被其他供应商读取',
    'images that OpenAI keeps cannot be read by another vendor',
  ),
  speech_alone: unsuited(
    '{provider} 在此只能合成语音，不能转写',
    '{provider} speaks here, and writes nothing down',
  ),
  speech_not_streamed: unsuited(
    '{provider} 以音频返回语音，不支持事件流',
    '{provider} sends speech as sound, and not as events',
  ),
  sound_format_not_supported: unsuited('{provider} 不支持格式 {format}', '{provider} does not make {format}'),
  sound_not_streamed: unsuited(
    '{provider} 的语音和转写都不支持事件流',
    '{provider} sends neither speech nor transcripts as events',
  ),
  transcription_alone: unsuited(
    '{provider} 在此只能转写，不能合成语音',
    '{provider} writes down here, and does not speak',
  ),
  transcription_not_streamed: unsuited(
    '{provider} 只能整体返回转写结果，不支持流',
    '{provider} writes down what it hears as a whole, not as a stream',
  ),
  transcription_not_translated: unsuited(
    '{provider} 只能转写，不能翻译',
    '{provider} writes down what it hears, and translates nothing',
  ),
  model_translates_nothing: unsuited(
    '{provider} 的这个模型不能翻译',
    'this model of {provider} translates nothing',
  ),
  model_format_not_supported: unsuited(
    '{provider} 的这个模型不支持格式 {format}',
    'this model of {provider} does not write {format}',
  ),
  transcripts_as_json_alone: unsuited(
    '{provider} 只能以 JSON 返回转写结果',
    '{provider} writes transcripts as JSON alone',
  ),
  one_prompt_alone: unsuited('{provider} 只接受一个文本 prompt', '{provider} takes one prompt, as a text'),
  one_answer_alone: unsuited(
    '{provider} 对一个 prompt 只给出一个回答',
    '{provider} gives one answer to a prompt',
  ),
} as const;

/** Values of `cannot_translate` that are not field names. */
export const untranslatable = {
  forced_tool: { zh: '必须调用的工具', en: 'a tool that has to be called' },
  tools: { zh: '工具', en: 'tools' },
  several_answers: { zh: '多个回答（n）', en: 'more than one answer (n)' },
  answer_by_schema: { zh: '按 schema 的回答', en: 'an answer by a schema' },
  sound: { zh: '音频', en: 'sound' },
  sound_by_address: { zh: '以地址引用的音频', en: 'sound by its address' },
  file_by_address: { zh: '以地址引用的文件', en: 'a file by its address' },
  foreign_file: { zh: '保存在其他供应商的文件', en: 'a file that another vendor keeps' },
  foreign_image: { zh: '保存在其他供应商的图片', en: 'an image that another vendor keeps' },
  file_of_type: { zh: '类型为 {type} 的文件', en: 'a file of the type {type}' },
  image_of_type: { zh: '类型为 {type} 的图片', en: 'an image of the type {type}' },
  file_not_fetched: { zh: '未能获取的文件', en: 'a file that was not fetched' },
  file_not_text: { zh: '非文本文件', en: 'a file that is no text' },
  coze_conversation: { zh: '保存在 Coze 的会话', en: 'a conversation that Coze keeps' },
  dify_conversation: { zh: '保存在 Dify 的会话', en: 'a conversation that Dify keeps' },
} as const;
