import { createApp } from 'vue'
import App from './app.vue'

const root = document.querySelector<HTMLElement>('main')
if (root !== null) createApp(App, { service: root.dataset.service }).mount(root)
