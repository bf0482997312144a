/**
 * The last days that vendors have announced for models: a day, and the names that are shut down on it, as OpenAI's
 * deprecations page (developers.openai.com/api/docs/deprecations, taken on 2026-11-25) and Anthropic's release notes
 * (platform.claude.com/docs/en/release-notes/overview, of 2026-09-30) have them. Names that these pages do not list
 * stand in no line, also where they lead to one that is listed.
 */
export const ends = `
2026-11-30 claude-sonnet-4-5-20250929
2026-12-01 gpt-image-1-mini gpt-image-1.5 gpt-image-1.5-2025-12-16 chatgpt-image-latest
2026-12-11 gpt-5 gpt-5-2025-08-07 gpt-5-mini gpt-5-mini-2025-08-07 gpt-5-nano gpt-5-nano-2025-08-07 gpt-5-pro gpt-5-pro-2025-10-06 o3 o3-2025-04-16 o3-pro o3-pro-2025-06-10
2027-01-06 tts-1 tts-1-hd gpt-4o-mini-tts
2027-01-14 gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini-2024-07-18 gpt-4.1-2025-04-14 gpt-4.1-mini-2025-04-14
2027-01-20 gpt-realtime gpt-audio
2027-02-01 gpt-5.5-cyber-preview
2027-02-26 whisper-1 gpt-4o-transcribe gpt-4o-mini-transcribe gpt-4o-transcribe-diarize
2027-04-01 gpt-5.1 gpt-5.3-codex gpt-5.4-nano
`;
