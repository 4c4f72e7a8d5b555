export function bundleClient(): Promise<string>
export function buildBrowserParts(): Promise<void>
