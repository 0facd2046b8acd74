// One render worker: the real client and the real core around a stand-in for aerender, reporting as nexrender's worker does.
'use strict'

const { createClient } = require('@nexrender/api')
const autofind = require('@nexrender/core/src/helpers/autofind')
const { init, render } = require('@nexrender/core')
const { getRenderingStatus } = require('@nexrender/types/job')

const { NEXRENDER_URL, NEXRENDER_SECRET, AE_FOLDER, AE_WORKPATH } = process.env

// Without an entry for Linux the search for After Effects throws.
autofind.defaultPaths.linux = [AE_FOLDER]

const settings = init({
    binary: `${AE_FOLDER}/aerender`,
    workpath: AE_WORKPATH,
    noAnalytics: true,
    actions: { '@nexrender/action-copy': require('@nexrender/action-copy') },
})
const client = createClient({ host: NEXRENDER_URL, secret: NEXRENDER_SECRET })
const delay = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))
const report = job => client.updateJob(job.uid, getRenderingStatus(job))

const perform = async job => {
    job.state = 'started'
    job.startedAt = new Date()
    try {
        await client.updateJob(job.uid, job)
    } catch (err) {
        return console.log(`[${job.uid}] abandoned: ${err}`)
    }
    job.onRenderProgress = job => report(job).catch(err => console.log(`[${job.uid}] progress: ${err}`))
    job.onRenderError = (job, err) => { job.error = [].concat(job.error || [], [err.toString()]) }
    try {
        job = await render(job, settings)
        Object.assign(job, { state: 'finished', finishedAt: new Date() })
        await report(job)
    } catch (err) {
        const error = [].concat(job.error || [], [err.toString()])
        await report(Object.assign(job, { state: 'error', errorAt: new Date(), error }))
            .catch(err => console.log(`[${job.uid}] abandoned: ${err}`))
    }
}

const work = async () => {
    for (;;) {
        const job = await client.pickupJob().catch(() => ({}))
        if (job && job.uid) await perform(job)
        else await delay(50)
    }
}

work()
