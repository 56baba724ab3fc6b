/** The way out for log records of the agent's layer. */
package io.sdp4j.agent.log;
