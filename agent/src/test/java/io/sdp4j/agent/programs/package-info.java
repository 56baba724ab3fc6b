/** Programs that know nothing of sdp4j, run by the integration tests in JVMs of their own. */
package io.sdp4j.agent.programs;
