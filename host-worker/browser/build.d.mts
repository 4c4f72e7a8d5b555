export function bundleClient(): Promise<string>
