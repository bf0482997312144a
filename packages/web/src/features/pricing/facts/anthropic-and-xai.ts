/** Anthropic's and xAI's models (platform.claude.com/docs/en/about-claude/models, docs.x.ai/docs/models). Form and source: index.ts. */
export const anthropicAndXai = `
anthropic:
claude-mythos-5 claude-mythos-5-1 claude-mythos-preview claude-opus-4-6-20260205 claude-opus-4-7-20260416 | 1000000 128000 vtrspc
claude-fable-5 claude-fable-5-1 claude-haiku-5-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5 | 1000000 128000 vtrspwc
claude-fable-5-2 | 1000000 128000 vtrc
claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5 | 200000 64000 vtrspc
claude-haiku-4-5-20251001 claude-opus-4-5-20251101 claude-sonnet-4-5-20250929 | 200000 64000 vtrspwc
xai:
grok-4.20-multi-agent grok-4.20-multi-agent-0309 grok-4.20-multi-agent-beta-latest grok-4.20-multi-agent-experimental-beta-0304 grok-4.20-multi-agent-experimental-beta-latest grok-4.20-multi-agent-latest | 1000000 - vrswc
grok-4.20 grok-4.20-0309 grok-4.20-0309-reasoning grok-4.20-beta grok-4.20-beta-0309 grok-4.20-beta-0309-reasoning grok-4.20-beta-latest grok-4.20-beta-latest-reasoning grok-4.20-beta-reasoning grok-4.20-experimental-beta-0304 grok-4.20-experimental-beta-0304-reasoning grok-4.20-experimental-beta-latest grok-4.20-experimental-beta-reasoning-latest grok-4.20-multi-agent-beta-0309 grok-4.20-reasoning grok-4.20-reasoning-gv2 grok-4.20-reasoning-latest grok-4.3 grok-4.3-latest | 1000000 - vtrswc
grok-4.20-0309-non-reasoning grok-4.20-beta-0309-non-reasoning grok-4.20-beta-latest-non-reasoning grok-4.20-beta-non-reasoning grok-4.20-experimental-beta-0304-non-reasoning grok-4.20-experimental-beta-non-reasoning-latest grok-4.20-non-reasoning grok-4.20-non-reasoning-gv2 grok-4.20-non-reasoning-latest | 1000000 - vtswc
grok-4.5 grok-4.5-latest grok-4.6 grok-4.7 grok-build-latest | 500000 - vtrswc
grok-build-0.1 grok-code-fast grok-code-fast-1 grok-code-fast-1-0825 | 256000 - vtrsc
grok-voice-transcribe-1.0 grok-voice-transcribe-2.0 | - - h
grok-voice-2.0 grok-voice-3.0 grok-voice-latest | - - tho
grok-imagine-video-1.5 grok-imagine-video-1.5-2026-05-30 grok-imagine-video-1.5-preview | - - vhy
grok-imagine-image grok-imagine-image-2.0 grok-imagine-image-2026-03-02 grok-imagine-image-pro grok-imagine-image-quality grok-imagine-image-quality-20260403 grok-imagine-image-quality-latest | - - vi
grok-imagine-video | - - vmy
grok-imagine-video-1.5-lite | - - vy
`;
